// How the page asks its server. The token is held by the caller, in memory; it goes into a header and nowhere else.

const MOST_WAIT_S = 60;

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A function that asks several questions in one call. It waits where the token calls too often; `waits(seconds)` is told. */
function askingWith(token, waits) {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const send = async (body) => {
    try {
      return await fetch("page/ask", { method: "POST", headers, body, credentials: "omit", cache: "no-store", redirect: "error" });
    } catch {
      throw new Refused(0, "The server cannot be reached. Check that it runs, then try again.");
    }
  };
  return async (questions) => {
    for (;;) {
      const answer = await send(JSON.stringify(questions));
      if (answer.ok) {
        return answer.json().catch(() => {
          throw new Refused(0, "The answer was cut off. Try again.");
        });
      }
      const seconds = Number(answer.headers.get("retry-after"));
      if (answer.status === 429 && seconds > 0 && seconds <= MOST_WAIT_S) {
        waits(seconds);
        await new Promise((go) => setTimeout(go, 1000 * seconds));
        waits(0);
        continue;
      }
      const said = await answer.json().catch(() => ({}));
      throw new Refused(answer.status, said.error?.message ?? `The server refused this (${answer.status}).`);
    }
  };
}

/**
 * Questions of some kinds, asked together and one call at a time: what is wanted meanwhile is asked with the next one.
 * `question(kind)`: what to ask, or null for nothing; `take(kind, answer)`: what to do with an answer that is still wanted.
 */
function askingInTurn(ask, question, take, failed) {
  const wanted = new Set();
  let asking = false;
  return async (...kinds) => {
    kinds.forEach((kind) => wanted.add(kind));
    if (asking) return;
    asking = true;
    try {
      while (wanted.size) {
        const asked = [...wanted];
        wanted.clear();
        const questions = Object.fromEntries(asked.map((kind) => [kind, question(kind)]).filter(([, said]) => said !== null));
        try {
          const answers = Object.keys(questions).length ? await ask(questions) : {};
          for (const kind of asked) if (!wanted.has(kind)) await take(kind, answers[kind] ?? null);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          failed(asked, error);
          break;
        }
      }
    } finally {
      asking = false; // or nothing would ever be asked again
    }
  };
}
