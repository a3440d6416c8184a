import type { Wake } from '../../domain/agenda.ts';
import type { AuditDraft } from '../../domain/audit.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Effects } from '../../domain/store.ts';
import { encodeAgendaKey } from '../agenda-key.ts';

/** Writes effects as the scripts of the desk read them. */
export function encodeEffects(effects: Effects): string {
  const { audit = [], messageEnds = [], records = [], says = [], wakes = [] } = effects;
  return JSON.stringify({
    audit: audit.map(encodeDraft),
    ends: messageEnds.map(({ id, how }) => [id, how]),
    says: says.map((say) => [say.id, say.thread, JSON.stringify(say)]),
    records: records.map((record) => [
      record.thread,
      JSON.stringify([record.turn, record.position]),
      JSON.stringify(record),
    ]),
    wakes: encodeWakes(wakes),
  });
}

/** Writes wakes as the scripts of the desk read them; times as text, which Lua's numbers would shorten. */
function encodeWakes(wakes: readonly Wake[]): readonly (readonly [string, string])[] {
  return wakes.map(({ key, dueAt }) => [encodeAgendaKey(key), String(dueAt)]);
}

/** The canonical body of an entry in three parts: the hash before it and its number come in between. */
function encodeDraft({ at, event, subject, actor, detail }: AuditDraft): readonly string[] {
  const before = canonicalJson({ actor, at, detail, event });
  const after = canonicalJson({ subject });
  return [`${before.slice(0, -1)},"previous":"`, '","seq":', `,${after.slice(1)}`];
}
