/** What a person typed after `/countersign`. Slack delivers no commands from threads. */
import type { Person } from '../domain/person.ts';
import { type ThreadKey, threadKey } from '../domain/thread-key.ts';
import type { SlackIdentity } from './connect-slack.ts';
import { isPayload, textAt } from './payload.ts';

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
  /** What stood behind the word. */
  readonly rest: string;
  readonly by: Person;
  readonly channel: string;
  /** Opens a form within three seconds. */
  readonly triggerId: string;
}

export type ParsedCommand =
  | Command
  | { readonly kind: 'refused'; readonly actor: string; readonly why: string };

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
  const team = textAt(payload, 'team_id') ?? '';
  const user = textAt(payload, 'user_id') ?? '';
  const channel = textAt(payload, 'channel_id') ?? '';
  const actor = `${team}/${user}`;
  const app = textAt(payload, 'api_app_id');
  if (identity.appId !== undefined && app !== identity.appId) {
    return { kind: 'refused', actor, why: 'meant for another app' };
  }
  if (team !== identity.team) return { kind: 'refused', actor, why: 'another workspace' };
  if (user === '' || channel === '') return { kind: 'refused', actor, why: 'malformed' };
  const [word = '', ...rest] = (textAt(payload, 'text') ?? '').trim().split(/\s+/);
  return {
    kind: 'command',
    word: readWord(word.toLowerCase(), rest.length > 0),
    rest: rest.join(' '),
    by: { team, user },
    channel,
    triggerId: textAt(payload, 'trigger_id') ?? '',
  };
}

/** What is not understood whole does nothing: “stop this one” must not stop all. */
function readWord(text: string, hasMore: boolean): CommandWord {
  if (!WORDS.has(text) || (hasMore && !TAKES_MORE.has(text))) return 'help';
  return text as CommandWord;
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
