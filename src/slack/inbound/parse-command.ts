/** Parses what a person typed after `/countersign`. Slack delivers no commands from threads. */
import { closestMatch } from 'leven';
import type { Person } from '../../domain/people/person.ts';
import { type ThreadKey, threadKey } from '../../domain/threads/thread-key.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { COMMAND, COMMAND_WORDS, type CommandWord } from '../transport/ids.ts';
import { type Payload, textAt } from '../transport/payload.ts';
import type { PayloadProblem } from './interaction.ts';
import { actingTeamOf, explainWrongInstallation, unknownElement } from './validate-payload.ts';

/** A command from a member of the workspace. */
export interface Command {
  readonly kind: 'command';
  readonly word: CommandWord;
  /** The command that an unknown word probably meant. */
  readonly suggestion?: CommandWord;
  /** The text after the word. */
  readonly rest: string;
  readonly by: Person;
  readonly channel: string;
  /** Lets the app open a form within three seconds. */
  readonly triggerId: string;
}

export type ParsedCommand =
  | Command
  | ({ readonly kind: 'refused'; readonly actor: string } & PayloadProblem);

const WORDS: ReadonlySet<string> = new Set(COMMAND_WORDS);

const WITH_ARGUMENTS: ReadonlySet<string> = new Set<CommandWord>(['forget', 'tools', 'accept']);

/** Parses a command. An unknown word becomes `help`. */
export function parseCommand(payload: Payload, identity: SlackIdentity): ParsedCommand {
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
  const suggestion = suggestWord(word.toLowerCase());
  return {
    kind: 'command',
    word: parseWord(word.toLowerCase(), rest.length > 0),
    ...(suggestion && { suggestion }),
    rest: rest.join(' '),
    by: { team, user },
    channel,
    triggerId: textAt(payload, 'trigger_id') ?? '',
  };
}

const STRANGER_SENTENCE = 'I only work for members of this workspace, so nothing happened.';
const NOT_OURS_SENTENCE = 'That command is not one of mine, so nothing happened.';

/** A command has no `type`, and names its organization in another field than a click does. */
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
  const isOurCommand = payload.type === undefined && payload.command === COMMAND;
  return isOurCommand ? undefined : { why: 'another command', sentence: NOT_OURS_SENTENCE };
}

/** Ignores a command with extra words: “stop this one” must not stop everything. */
function parseWord(text: string, hasArguments: boolean): CommandWord {
  if (!WORDS.has(text) || (hasArguments && !WITH_ARGUMENTS.has(text))) return 'help';
  return text as CommandWord;
}

const SHORT_WORD = 4;

/** Guesses the intended command. It is only suggested, never run. */
function suggestWord(text: string): CommandWord | undefined {
  if (text === '' || WORDS.has(text)) return undefined;
  const words = [...WORDS];
  const maxDistance = text.length < SHORT_WORD ? 1 : 2;
  const closest =
    words.find((word) => word.startsWith(text)) ?? closestMatch(text, words, { maxDistance });
  return closest as CommandWord | undefined;
}

const LINK = /^<?https:\/\/[^/\s]+\/archives\/([A-Z0-9]{2,40})\/p(\d{7,16})(\d{6})(?:[?|>]|$)/;

/** Parses a message link as copied from Slack; returns the thread of the message. */
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
