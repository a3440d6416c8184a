import type { Json } from '../json-value.ts';

/** Answers one Web API call; the arguments are decoded, the answer is Slack's JSON with `ok`. */
export type ApiMethod = (args: Json) => Json | Promise<Json>;

/** A table of methods by their Slack names. */
export type ApiMethods = Readonly<Record<string, ApiMethod>>;

/** Slack's answer to a call that worked. */
export function slackOk(data: Json = {}): Json {
  return { ok: true, ...data };
}

/** Slack's answer to a call that it refused. */
export function slackError(error: string, data: Json = {}): Json {
  return { ok: false, error, ...data };
}
