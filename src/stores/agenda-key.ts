import type { AgendaKey, AgendaTask } from '../domain/agenda.ts';

/** Writes a key as one text; ids may hold any character, tasks hold no colon. */
export function encodeAgendaKey(key: AgendaKey): string {
  return `${key.task}:${key.id}`;
}

/**
 * Reads what `encodeAgendaKey` wrote. The task is what stands there, be it one that another version
 * has written: who gets it must see, for a key that can't be read would hold up all behind it.
 */
export function decodeAgendaKey(text: string): AgendaKey {
  const colon = text.indexOf(':');
  return { task: text.slice(0, Math.max(colon, 0)) as AgendaTask, id: text.slice(colon + 1) };
}
