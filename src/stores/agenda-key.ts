import type { AgendaKey, AgendaTask } from '../domain/agenda.ts';

const TASKS: readonly string[] = [
  'pump',
  'run',
  'expire',
  'redraw',
  'say',
  'heed',
  'remind',
  'escalate',
] satisfies readonly AgendaTask[];

/** Writes a key as one text; ids may hold any character, tasks hold no colon. */
export function encodeAgendaKey(key: AgendaKey): string {
  return `${key.task}:${key.id}`;
}

/** Reads what `encodeAgendaKey` wrote; throws for anything else. */
export function decodeAgendaKey(text: string): AgendaKey {
  const colon = text.indexOf(':');
  const task = text.slice(0, Math.max(colon, 0));
  if (!isTask(task)) throw new Error(`The agenda holds a key of no known task: ${text}`);
  return { task, id: text.slice(colon + 1) };
}

function isTask(text: string): text is AgendaTask {
  return TASKS.includes(text);
}
