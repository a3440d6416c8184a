import type { RespondFn } from '@slack/bolt';
import { describeWaitingCalls } from '../home/list-waiting.ts';
import { buildNotice, type ComposedMessage } from '../outbound/build-messages.ts';
import { openRoutes } from '../routes/open-routes.ts';
import {
  COMMAND_SENTENCES,
  describeChannelStatus,
  describeCommandSuggestion,
  describeForgotten,
  describePaused,
  describeResumed,
  describeStop,
  HELP,
} from '../text/command-sentences.ts';
import { describeAccepted, listServerTools } from '../text/server-tool-texts.ts';
import type { HandlerDeps } from './handler.ts';
import { type Command, parseCommand, parseMessageLink } from './parse-command.ts';

/** Handles a command: acknowledged at once, answered to its author only. */
export async function answerCommand(
  body: unknown,
  ack: () => Promise<void>,
  respond: RespondFn,
  deps: HandlerDeps,
): Promise<void> {
  await ack();
  const answer = await carryOut(body, deps).catch((error: unknown) => {
    deps.log.error({ err: error }, 'A command could not be carried out.');
    return COMMAND_SENTENCES.failed;
  });
  if (answer === undefined) return;
  const message = typeof answer === 'string' ? buildNotice(answer) : answer;
  await respond({ ...message, response_type: 'ephemeral' });
}

/** Resolves with what is to be answered; undefined where a form is the answer. */
async function carryOut(body: unknown, deps: HandlerDeps): Promise<Answered> {
  const parsed = parseCommand(body, deps.identity);
  if (parsed.kind === 'command') return await WORDS[parsed.word](parsed, deps);
  const { actor, why, sentence, isForNow } = parsed;
  if (isForNow) deps.log.warn({ actor }, `Refused a command for now: ${why}.`);
  await deps.desk.recordRefusal({ surface: 'slack.command', subject: 'command', actor, why });
  return sentence;
}

type Answered = string | ComposedMessage | undefined;
type Answer = (command: Command, deps: HandlerDeps) => Promise<Answered>;

const WORDS: Readonly<Record<Command['word'], Answer>> = {
  waiting: describeWaitingCalls,
  stop: async (command, { desk }) => describeStop(await desk.stopAll(placed(command))),
  status: async (command, { desk }) => describeChannelStatus(await desk.status(placed(command))),
  pause: async ({ by }, { desk }) => describePaused(await desk.pause(by)),
  resume: async ({ by }, { desk }) => describeResumed(await desk.resume(by)),
  forget,
  routes: openRoutes,
  tools: async ({ by, rest }, { tools }) => {
    const found = await tools.look(by);
    return found.kind === 'tools' ? listServerTools(found, rest) : found.sentence;
  },
  accept: async ({ by, rest }, { tools }) => {
    const [name = '', hash = ''] = rest.split(' ');
    const outcome = await tools.accept({ by, name, hash: hash.toLowerCase() });
    return outcome.kind === 'not-allowed'
      ? outcome.sentence
      : describeAccepted(outcome, hash !== '');
  },
  help: async ({ meant }) => (meant === undefined ? HELP : describeCommandSuggestion(meant)),
};

function placed({ by, channel }: Command) {
  return { team: by.team, channel, by };
}

/** Slack delivers a command only from a channel that its author is in: that is their right to its threads. */
async function forget({ rest, by, channel }: Command, { desk }: HandlerDeps): Promise<string> {
  const link = parseMessageLink(rest, by.team);
  if (link === undefined) return COMMAND_SENTENCES.noLink;
  if (link.channel !== channel) return COMMAND_SENTENCES.otherChannel;
  return describeForgotten(await desk.forget({ thread: link.thread, by }));
}
