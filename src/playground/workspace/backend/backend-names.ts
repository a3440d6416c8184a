import { isJson, type Json } from '../json-value.ts';

/** Slack's timestamp fields. Only values of these keys are translated as timestamps. */
const TIMESTAMP_KEYS = new Set(['ts', 'thread_ts', 'message_ts', 'timestamp', 'latest_reply']);
/** Content by people and apps. Ids in it are translated, timestamps are not. */
const OPAQUE_KEYS = new Set(['blocks', 'attachments', 'metadata']);
const TIMESTAMP = /^\d{10}\.\d{6}$/;
const ID = /\b[A-Z][A-Z0-9]{4,}\b/g;

/** Translates between the ids and timestamps of the workspace and those of the backend. */
export interface BackendNames {
  /** Maps an id of the workspace to one of the backend. */
  pair(ours: string, theirs: string): void;
  toBackend(value: Json): Json;
  fromBackend(value: Json): Json;
}

/** Creates an empty mapping. Unknown timestamps from the backend get a new one of ours. */
export function createBackendNames(nextTs: () => string): BackendNames {
  const theirsOf = new Map<string, string>();
  const oursOf = new Map<string, string>();
  const pair = (ours: string, theirs: string): void => {
    theirsOf.set(ours, theirs);
    oursOf.set(theirs, ours);
  };
  const ourTs = (theirs: string): string => {
    const known = oursOf.get(theirs);
    if (known !== undefined) {
      return known;
    }
    const ours = nextTs();
    pair(ours, theirs);
    return ours;
  };

  function toName(text: string, key: string, opaque: boolean, back: boolean): string {
    if (!opaque && TIMESTAMP_KEYS.has(key) && TIMESTAMP.test(text)) {
      return back ? ourTs(text) : (theirsOf.get(text) ?? text);
    }
    const names = back ? oursOf : theirsOf;
    return text.replace(ID, (id) => names.get(id) ?? id);
  }

  function walk(value: unknown, key: string, opaque: boolean, back: boolean): unknown {
    if (typeof value === 'string') {
      return toName(value, key, opaque, back);
    }
    if (Array.isArray(value)) {
      return value.map((item) => walk(item, key, opaque, back));
    }
    return isJson(value) ? walkMembers(value, opaque, back) : value;
  }

  function walkMembers(value: Json, opaque: boolean, back: boolean): Json {
    const names = back ? oursOf : theirsOf;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        names.get(key) ?? key,
        walk(member, key, opaque || OPAQUE_KEYS.has(key), back),
      ]),
    );
  }

  return {
    pair,
    toBackend: (value) => walkMembers(value, false, false),
    fromBackend: (value) => walkMembers(value, false, true),
  };
}
