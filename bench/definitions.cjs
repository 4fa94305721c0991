// What the TypeScript compiler's own parser finds: one JSON line for each file below a folder.
//
//   node definitions.cjs FOLDER
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

function firstLine(node, file) {
  const text = file.text;
  const lineOf = (at) => file.getLineAndCharacterOfPosition(at).line;
  let line = lineOf(node.getStart(file));
  let start = node.getStart(file);
  const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  for (const comment of comments.reverse()) {
    const before = text.slice(text.lastIndexOf("\n", comment.pos - 1) + 1, comment.pos);
    if (text.slice(comment.end, start).split("\n").length > 2 || before.trim() !== "") break;
    line = lineOf(comment.pos);
    start = comment.pos;
  }
  return line + 1;
}

function definitions(file) {
  const found = [];
  const visit = (node, prefix) => {
    const known = definition(node);
    let scope = prefix;
    if (known !== null) {
      const name = known[0].replace(/^(["'`])(.*)\1$/s, "$2").replace(/\s+/g, " ");
      const last = file.getLineAndCharacterOfPosition(known[1].getEnd()).line + 1;
      scope = prefix + name + ".";
      found.push([prefix + name, firstLine(known[1], file), last]);
    }
    ts.forEachChild(node, (child) => visit(child, scope));
  };
  visit(file, "");
  return found;
}

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(place);
    else if (/\.(ts|mts|cts|tsx)$/.test(entry.name)) yield place;
  }
}

for (const place of files(process.argv[2])) {
  const text = fs.readFileSync(place, "utf8");
  const file = ts.createSourceFile(place, text, ts.ScriptTarget.Latest, true);
  const errors = file.parseDiagnostics.length;
  console.log(JSON.stringify({ place, errors, definitions: definitions(file) }));
}
