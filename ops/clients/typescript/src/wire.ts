/** The way to a server: requests by fetch, tried again where that is safe; problems as errors. */

export interface Options {
  /** A key of `slowwave keys create`. */
  key?: string;
  /** How long one answer is waited for. */
  timeoutSeconds?: number;
  /** How long a request is repeated while the server is unreachable, or answers that it is. */
  patienceSeconds?: number;
}

export interface Told {
  title: string;
  status: number;
  detail: string;
  hint?: string | null;
  problems?: readonly string[];
  retry_after_seconds?: number | null;
}

/** What a server says went wrong: `title` says who must act, `hint` what to do. Status 0 means that nobody answered. */
export class SlowwaveError extends Error {
  readonly title: string;
  readonly status: number;
  readonly hint: string | null;
  readonly problems: readonly string[];
  readonly retryAfterSeconds: number | null;

  constructor(told: Told) {
    super(told.detail);
    this.name = "SlowwaveError";
    this.title = told.title;
    this.status = told.status;
    this.hint = told.hint ?? null;
    this.problems = told.problems ?? [];
    this.retryAfterSeconds = told.retry_after_seconds ?? null;
  }
}

type Sent = { query?: object | undefined; body?: object };

const READS = new Set(["/v1/recall", "/v1/context", "/v1/sessions/end"]);

export class Wire {
  constructor(
    private readonly url: string,
    private readonly options: Options = {},
  ) {}

  protected async ask<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
    const end = Date.now() + 1000 * (this.options.patienceSeconds ?? 20);
    const again = method === "GET" || READS.has(path) || keyed(path, sent.body);
    for (let pause = 50; ; pause = Math.min(2 * pause, 2000)) {
      try {
        return await this.once<T>(method, path, sent);
      } catch (error) {
        if (!(error instanceof SlowwaveError)) throw error;
        const wait = Math.max(pause, 1000 * (error.retryAfterSeconds ?? 0));
        const may = error.status === 429 || (again && [0, 502, 503, 504].includes(error.status));
        if (!may || Date.now() + wait > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  private async once<T>(method: string, path: string, sent: Sent): Promise<T> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.options.key !== undefined) headers["Authorization"] = `Bearer ${this.options.key}`;
    if (sent.body !== undefined) headers["Content-Type"] = "application/json";
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(this.url.replace(/\/+$/, "") + path + asked(sent.query), {
        method,
        headers,
        body: sent.body === undefined ? null : JSON.stringify(sent.body),
        signal: AbortSignal.timeout(1000 * (this.options.timeoutSeconds ?? 30)),
      });
      text = await answer.text();
    } catch {
      throw new SlowwaveError({ title: "Unavailable", status: 0, detail: `${this.url} does not answer` });
    }
    if (!answer.ok) throw problem(answer, text);
    return JSON.parse(text) as T;
  }
}

/** Whether everything that is pushed has a key: then it may be sent again, and is stored once. */
function keyed(path: string, body: object | undefined): boolean {
  const told = body as { key?: unknown; episodes?: readonly unknown[] } | undefined;
  if (path === "/v1/push/batch") {
    return (told?.episodes ?? []).every((one) => typeof one === "object" && one !== null && "key" in one);
  }
  return typeof told?.key === "string";
}

function asked(query: object | undefined): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) said.append(name, String(one));
    }
  }
  const text = said.toString();
  return text && `?${text}`;
}

function problem(answer: Response, text: string): SlowwaveError {
  const seconds = Number(answer.headers.get("Retry-After") ?? NaN);
  const told: Told = {
    title: answer.status >= 500 ? "Unavailable" : "Incorrect",
    status: answer.status,
    detail: `the server answers ${answer.status}`,
    retry_after_seconds: Number.isFinite(seconds) ? seconds : null,
  };
  if (answer.headers.get("Content-Type")?.startsWith("application/problem+json")) {
    Object.assign(told, JSON.parse(text) as Told);
  }
  return new SlowwaveError(told);
}
