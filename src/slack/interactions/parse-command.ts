/** What a person typed after `/countersign`. Slack delivers no commands from threads. */
import { closestMatch } from 'leven';
import type { Person } from '../../domain/people/person.ts';
import { type ThreadKey, threadKey } from '../../domain/threads/thread-key.ts';
import {
  actingTeamOf,
  explainWrongInstallation,
  type PayloadProblem,
  unknownElement,
} from '../inbound/validate-payload.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { isPayload, type Payload, textAt } from '../transport/payload.ts';

/** The command's name; the manifest declares it. */
export const COMMAND = '/countersign';

export type CommandWord =
  | 'waiting'
  | 'stop'
  | 'pause'
  | 'resume'
  | 'forget'
  | 'status'
  | 'routes'
  | 'tools'
  | 'accept'
  | 'help';

/** A command of a person of the workspace. */
export interface Command {
  readonly kind: 'command';
  readonly word: CommandWord;
  /** What a word of no command was probably meant for. */
  readonly meant?: CommandWord;
  /** What stood behind the word. */
  readonly rest: string;
  readonly by: Person;
  readonly channel: string;
  /** Opens a form within three seconds. */
  readonly triggerId: string;
}

export type ParsedCommand =
  | Command
  | ({ readonly kind: 'refused'; readonly actor: string } & PayloadProblem);

const WORDS: ReadonlySet<string> = new Set<CommandWord>([
  'waiting',
  'stop',
  'pause',
  'resume',
  'forget',
  'status',
  'routes',
  'tools',
  'accept',
  'help',
]);

const TAKES_MORE: ReadonlySet<string> = new Set<CommandWord>(['forget', 'tools', 'accept']);

/** Reads a command; a word that is none of ours asks for help. */
export function parseCommand(body: unknown, identity: SlackIdentity): ParsedCommand {
  const payload = isPayload(body) ? body : {};
  const team = actingTeamOf(textAt(payload, 'team_id') ?? '', identity);
  const user = textAt(payload, 'user_id') ?? '';
  const channel = textAt(payload, 'channel_id') ?? '';
  const actor = `${team}/${user}`;
  const wrong = explainInvalidCommand(payload, identity);
  if (wrong !== undefined) return { kind: 'refused', actor, ...wrong };
  if (team !== identity.team) {
    return { kind: 'refused', actor, why: 'another workspace', sentence: STRANGER_SENTENCE };
  }
  if (user === '' || channel === '') {
    return { kind: 'refused', actor, ...unknownElement('malformed'), sentence: NOT_OURS_SENTENCE };
  }
  const [word = '', ...rest] = (textAt(payload, 'text') ?? '').trim().split(/\s+/);
  const meant = meantWord(word.toLowerCase());
  return {
    kind: 'command',
    word: readWord(word.toLowerCase(), rest.length > 0),
    ...(meant && { meant }),
    rest: rest.join(' '),
    by: { team, user },
    channel,
    triggerId: textAt(payload, 'trigger_id') ?? '',
  };
}

const STRANGER_SENTENCE = 'I only work for members of this workspace, so nothing happened.';
const NOT_OURS_SENTENCE = 'That command is not one of mine, so nothing happened.';

/** A command has no type of its own, and says its organization in another place than a press. */
function explainInvalidCommand(
  payload: Payload,
  identity: SlackIdentity,
): PayloadProblem | undefined {
  const id = textAt(payload, 'enterprise_id');
  const wrong = explainWrongInstallation(
    { ...payload, ...(id && { enterprise: { id } }) },
    identity,
  );
  if (wrong !== undefined) return wrong;
  const isOne = payload.type === undefined && payload.command === COMMAND;
  return isOne ? undefined : { why: 'another command', sentence: NOT_OURS_SENTENCE };
}

/** What is not understood whole does nothing: “stop this one” must not stop all. */
function readWord(text: string, hasMore: boolean): CommandWord {
  if (!WORDS.has(text) || (hasMore && !TAKES_MORE.has(text))) return 'help';
  return text as CommandWord;
}

const SHORT = 4;

/** It is suggested, and never carried out. */
function meantWord(text: string): CommandWord | undefined {
  if (text === '' || WORDS.has(text)) return undefined;
  const words = [...WORDS];
  const maxDistance = text.length < SHORT ? 1 : 2;
  const near =
    words.find((word) => word.startsWith(text)) ?? closestMatch(text, words, { maxDistance });
  return near as CommandWord | undefined;
}

const LINK = /^<?https:\/\/[^/\s]+\/archives\/([A-Z0-9]{2,40})\/p(\d{7,16})(\d{6})(?:[?|>]|$)/;

/** Reads the link of a message, as Slack copies it, as the thread that the message is in. */
export function parseMessageLink(
  text: string,
  team: string,
): { readonly thread: ThreadKey; readonly channel: string } | undefined {
  const [, channel, seconds, micros] = LINK.exec(text) ?? [];
  if (channel === undefined) return undefined;
  const root = /[?&;]thread_ts=(\d{1,16}\.\d{1,10})/.exec(text)?.[1];
  const ts = `${seconds}.${micros}`;
  return { thread: threadKey({ team, channel, ts, threadTs: root }), channel };
}
