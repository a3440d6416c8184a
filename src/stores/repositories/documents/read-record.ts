/** Reads stored documents: completely understood, or not at all. */
import { z } from 'zod';
import { DamagedRecordError, type RecordName } from '../../../domain/audit/damaged-record.ts';
import { CALL_STATUSES, type Call } from '../../../domain/calls/call.ts';
import type { InboxMessage, SettledTurn } from '../../../domain/threads/message.ts';
import type { OutboxMessage } from '../../../domain/threads/outbox-message.ts';
import type { TurnRecord } from '../../../domain/threads/turn-record.ts';

const text = z.string();
const count = z.int().min(0);
const time = z.number();
const person = z.looseObject({ team: text, user: text });
const thread = text.regex(/^[^/\s]+\/[^/\s]+\/[^/\s]+/);

const route = z.looseObject({
  name: text,
  approvers: z.array(text),
  quorum: count,
  selfApproval: z.boolean(),
  decisions: z.array(z.enum(['approve', 'edit', 'reply', 'ignore'])),
  deadlineMs: time,
  channel: text.optional(),
});

const outcome = z.looseObject({
  kind: z.enum([
    'result',
    'error',
    'reply',
    'ignored',
    'expired',
    'withdrawn',
    'refused',
    'unknown',
  ]),
});

/** What all code relies on in a call; its seal protects the rest. */
const CALL = z.looseObject({
  id: text,
  thread,
  turn: text,
  messageId: text,
  toolCallId: text,
  position: count,
  siblings: count,
  tool: text,
  schemaHash: text,
  risk: z.enum(['low', 'medium', 'high']),
  idempotent: z.boolean(),
  args: text,
  proposedArgs: text,
  digest: text,
  attempt: count.min(1),
  revision: count.min(1),
  status: z.enum(CALL_STATUSES),
  requester: person,
  outside: z.looseObject({ by: z.enum(['key', 'graph', 'server']), name: text }).optional(),
  askedLine: text,
  words: text,
  route: route.optional(),
  votes: z.array(z.looseObject({ by: person, at: time })),
  verdict: z
    .looseObject({
      kind: z.enum(['approve', 'edit', 'reply', 'ignore', 'settle']),
      by: person,
      at: time,
    })
    .optional(),
  editedBy: person.optional(),
  claim: z.looseObject({ fence: time, at: time }).optional(),
  outcome: outcome.optional(),
  createdAt: time,
  updatedAt: time,
  deadlineAt: time.optional(),
});

const MESSAGE = z.looseObject({
  id: text,
  thread,
  author: person,
  ts: text,
  text,
  receivedAt: time,
  files: z.array(z.looseObject({ id: text, name: text, mimeType: text })).optional(),
  delegated: z.looseObject({ agent: text, askedLine: text }).optional(),
  stopped: z.looseObject({ by: person, at: time }).optional(),
});

const SAY = z.looseObject({
  id: text,
  thread,
  kind: z.enum(['answer', 'notice', 'private']),
  to: person.optional(),
  text,
  createdAt: time,
  replaces: z.looseObject({ id: text, createdAt: time }).optional(),
});

const TURN = z.looseObject({
  id: text,
  settledAt: time,
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'tool']), id: text, text })),
});

/** One message of an unfinished turn. */
const TURN_RECORD = z.looseObject({
  v: count,
  thread,
  turn: text,
  position: count,
  message: z.looseObject({ role: z.enum(['user', 'assistant']), id: text, text }),
  rejected: z.array(z.looseObject({ role: z.literal('tool'), id: text, callId: text, text })),
});

/** Shapes that records must have. */
const SHAPES = {
  call: CALL,
  message: MESSAGE,
  say: SAY,
  turn: TURN,
  turnRecord: TURN_RECORD,
} as const;

interface Documents {
  readonly call: Call;
  readonly message: InboxMessage;
  readonly say: OutboxMessage;
  readonly turn: SettledTurn;
  readonly turnRecord: TurnRecord;
}

/** Parses a stored JSON object and returns it unchanged. Throws a `DamagedRecordError` that names the record. */
export function parseDocument<T>(stored: string, record: RecordName): T {
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch (cause) {
    throw new DamagedRecordError('its JSON is damaged', { record, cause });
  }
  if (typeof value === 'object' && value !== null) return value as T;
  throw new DamagedRecordError('it is not a JSON object', { record });
}

/** Parses and checks a stored record. Throws a `DamagedRecordError` if this version doesn't understand it. */
export function parseRecord<Shape extends keyof Documents>(
  shape: Shape,
  stored: string,
  record: RecordName,
): Documents[Shape] {
  return checkRecord(shape, parseDocument<unknown>(stored, record), record);
}

/** Checks a record, or a part of one, that is parsed already. */
export function checkRecord<Shape extends keyof Documents>(
  shape: Shape,
  value: unknown,
  record: RecordName,
): Documents[Shape] {
  const { error } = SHAPES[shape].safeParse(value);
  if (error) {
    const [issue] = error.issues;
    const where = issue?.path.map(String).join('.') ?? '';
    const why =
      where === '' ? 'it is not a valid record of its kind' : `its “${where}” is not understood`;
    throw new DamagedRecordError(why, { record, cause: error });
  }
  const found = value as Documents[Shape];
  if (record.kind !== 'history' && idOf(found) !== record.id) {
    throw new DamagedRecordError('its document belongs to another record', { record });
  }
  return found;
}

function idOf(found: Documents[keyof Documents]): string {
  return 'id' in found ? found.id : found.turn;
}
