import type { Json } from '../json-value.ts';

/** Handles a Web API call. Arguments are decoded; the answer is Slack's JSON with `ok`. */
export type ApiMethod = (args: Json) => Json | Promise<Json>;

/** Methods by their Slack names. */
export type ApiMethods = Readonly<Record<string, ApiMethod>>;

/** Returns Slack's answer to a successful call. */
export function slackOk(data: Json = {}): Json {
  return { ok: true, ...data };
}

/** Returns Slack's answer to a failed call. */
export function slackError(error: string, data: Json = {}): Json {
  return { ok: false, error, ...data };
}
