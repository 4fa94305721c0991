// Asking the server: pages of JSON, and news as they come.

export class Problem extends Error {
  constructor(status, told) {
    super(told?.what ?? "The server did not answer.");
    this.status = status;
    this.meaning = told?.meaning ?? "What is shown may be old.";
    this.remedy = told?.remedy ?? "It is tried again by itself.";
  }
}

/** Ask for a page; `query` is an object whose empty values are left out. */
export async function ask(page, query = {}, { signal } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const words = new URLSearchParams(given).toString();
  let answer;
  try {
    answer = await fetch(`/api/${page}${words ? `?${words}` : ""}`, { signal, headers: { Accept: "application/json" } });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Problem(0, null);
  }
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Problem(answer.status, told?.error);
  return told;
}

const FIRST_MS = 300;
const MOST_MS = 5000;

/** Listen for news until the page is closed; goes on after the server was away. */
export function listen({ head, state }) {
  let wait_ms = FIRST_MS;
  const begin = () => {
    const source = new EventSource("/events");
    source.addEventListener("open", () => {
      wait_ms = FIRST_MS;
      state("live");
    });
    source.addEventListener("head", (event) => head(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      source.close();
      state("away");
      setTimeout(begin, wait_ms);
      wait_ms = Math.min(2 * wait_ms, MOST_MS);
    });
  };
  begin();
}

/** Have the ledger verified; tells how far it is, then the report. */
export function verify({ progress, report, failed }) {
  const source = new EventSource("/api/verify");
  source.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
  source.addEventListener("report", (event) => {
    source.close();
    report(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    source.close();
    failed();
  });
  return () => source.close();
}
