// What the TypeScript compiler's own parser finds: one JSON line for each file below a folder.
//
//   node definitions.cjs FOLDER [all]
//
// With `all` JavaScript is read, too. `definitions` has names and lines; `slices` has names as
// holdfast numbers them, the offsets at which each may begin (its comments, its code) and its end.
//
// A definition is what holdfast calls one: functions and their overloads, classes, interfaces, type
// aliases, enums, namespaces, members that are functions, and values of the file or a namespace. Its lines
// include decorators, `export` and comments that end directly above.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");

const K = ts.SyntaxKind;
const DECLARATIONS = new Set([
  K.FunctionDeclaration, K.ClassDeclaration, K.InterfaceDeclaration, K.TypeAliasDeclaration,
  K.EnumDeclaration, K.ModuleDeclaration, K.MethodDeclaration, K.MethodSignature, K.Constructor,
  K.GetAccessor, K.SetAccessor,
]);

function isFunction(node) {
  return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
}

function isValueOfTheFile(statement) {
  return ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent);
}

// Returns [name, the node that has the lines] or null.
function definition(node) {
  if (DECLARATIONS.has(node.kind)) {
    if (node.kind === K.Constructor) return ["constructor", node];
    if (node.name !== undefined) {
      if (ts.isModuleDeclaration(node) && ts.isModuleDeclaration(node.parent)) return null;
      return [moduleName(node) ?? node.name.getText(), node];
    }
    return isDefault(node) ? ["default", node] : null;
  }
  if (ts.isPropertyDeclaration(node) && isFunction(node.initializer)) {
    return [node.name.getText(), node];
  }
  if (ts.isPropertyAssignment(node) && isFunction(node.initializer)) {
    return [node.name.getText(), node];
  }
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
    const list = node.parent;
    if (!ts.isVariableDeclarationList(list)) return null;
    const statement = list.parent;
    const valued = isFunction(node.initializer) ||
      (node.initializer !== undefined && ts.isClassExpression(node.initializer));
    if (!valued && !(ts.isVariableStatement(statement) && isValueOfTheFile(statement))) return null;
    const alone = list.declarations.length === 1 && ts.isVariableStatement(statement);
    return [node.name.text, alone ? statement : node];
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken &&
      ts.isPropertyAccessExpression(node.left) &&
      (isFunction(node.right) || ts.isClassExpression(node.right))) {
    const statement = ts.isExpressionStatement(node.parent) ? node.parent : node;
    return [node.left.getText(), statement];
  }
  if (ts.isExportAssignment(node) && !node.isExportEquals) {
    return ["default", node];
  }
  return null;
}

function moduleName(node) {
  if (!ts.isModuleDeclaration(node)) return null;
  if (node.flags & ts.NodeFlags.GlobalAugmentation) return null;
  let name = node.name.getText();
  for (let inner = node.body; inner !== undefined && ts.isModuleDeclaration(inner); inner = inner.body) {
    name += "." + inner.name.getText();
  }
  return name;
}

function isDefault(node) {
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Default) !== 0;
}

function starts(node, file) {
  const text = file.text;
  let start = node.getStart(file);
  const found = [start];
  const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  for (const comment of comments.reverse()) {
    const before = text.slice(text.lastIndexOf("\n", comment.pos - 1) + 1, comment.pos);
    if (text.slice(comment.end, start).split("\n").length > 2 || before.trim() !== "") break;
    start = comment.pos;
    found.unshift(start);
  }
  return found;
}

function firstLine(node, file) {
  return file.getLineAndCharacterOfPosition(starts(node, file)[0]).line + 1;
}

function slices(file) {
  const found = [], values = [], taken = new Map(), owned = new Set();
  const offset = (at) => Buffer.byteLength(file.text.slice(0, at));
  const visit = (node, prefix) => {
    const known = definition(node);
    let scope = prefix;
    if (known !== null) {
      const base = prefix + spelled(known[0]);
      const place = [starts(known[1], file).map(offset), offset(known[1].getEnd())];
      const name = isValue(node) ? base : unique(base, taken);
      scope = name + ".";
      if (isValue(node)) values.push([base, place]);
      else {
        found.push([name, ...place]);
        if (!ts.isTypeAliasDeclaration(node) && !ts.isInterfaceDeclaration(node) && !ts.isModuleDeclaration(node)) owned.add(name);
      }
    }
    ts.forEachChild(node, (child) => visit(child, scope));
  };
  visit(file, "");
  for (const [base, place] of values) {  // a value is one definition, and leaves its name to a function
    if (owned.has(base)) continue;
    owned.add(base);
    found.push([unique(base, taken), ...place]);
  }
  return found;
}

function unique(base, taken) {
  const count = (taken.get(base) ?? 0) + 1;
  taken.set(base, count);
  return count === 1 ? base : `${base}#${count}`;
}

function isValue(node) {
  const valued = (inner) => isFunction(inner) || (inner !== undefined && ts.isClassExpression(inner));
  if (ts.isVariableDeclaration(node)) return !valued(node.initializer);
  return ts.isExportAssignment(node) && !valued(node.expression);
}

function spelled(name) {
  return name.replace(/^(["'`])(.*)\1$/s, "$2").replace(/\s+/g, " ");
}

function definitions(file) {
  const found = [];
  const visit = (node, prefix) => {
    const known = definition(node);
    let scope = prefix;
    if (known !== null) {
      const name = spelled(known[0]);
      const last = file.getLineAndCharacterOfPosition(known[1].getEnd()).line + 1;
      scope = prefix + name + ".";
      found.push([prefix + name, firstLine(known[1], file), last]);
    }
    ts.forEachChild(node, (child) => visit(child, scope));
  };
  visit(file, "");
  return found;
}

const ALL = process.argv[3] === "all";
const READ = ALL ? /\.(ts|mts|cts|tsx|js|mjs|cjs|jsx)$/ : /\.(ts|mts|cts|tsx)$/;

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(place);
    else if (READ.test(entry.name)) yield place;
  }
}

for (const place of files(process.argv[2])) {
  const text = fs.readFileSync(place, "utf8");
  const file = ts.createSourceFile(place, text, ts.ScriptTarget.Latest, true);
  const errors = file.parseDiagnostics.length;
  const found = { place, errors, definitions: definitions(file) };
  if (ALL) found.slices = slices(file);
  console.log(JSON.stringify(found));
}
