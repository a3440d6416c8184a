import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import { cardLocationOf } from '../../domain/cards/card-channel.ts';
import type { Group, Person } from '../../domain/people/person.ts';
import { groupsNamedBy } from '../../domain/rules/decision-permission.ts';
import { rulingRouteOf } from '../../domain/rules/decision-rules.ts';
import type { ReaderContext } from '../text/describe-waiting.ts';
import { outcomeSentence } from '../text/outcome-sentences.ts';
import type { HandlerDeps } from './handler.ts';

type ReadDeps = Pick<HandlerDeps, 'client' | 'directory' | 'log'>;

/** Describes an outcome to a person, with names of groups and of channels that they can open. Omits what Slack does not return. */
export async function describeOutcome(
  outcome: DecisionOutcome,
  reader: Person,
  deps: ReadDeps,
): Promise<string> {
  return outcomeSentence(outcome, await readerContextFor(outcome, reader, deps));
}

async function readerContextFor(
  outcome: DecisionOutcome,
  reader: Person,
  deps: ReadDeps,
): Promise<ReaderContext> {
  if (!('call' in outcome) || outcome.call.status !== 'pending') return { reader };
  const groups = groupsNamedBy(rulingRouteOf(outcome.call));
  const channels = new Set([
    cardLocationOf(outcome.call).channel,
    ...groups.filter((group) => group.startsWith('channel:')).map(idOf),
  ]);
  const [handles, visible] = await Promise.all([
    Promise.all(groups.map((group) => handleOf(group, deps))),
    Promise.all([...channels].map((channel) => visibleChannel(channel, reader, deps))),
  ]);
  return { reader, handles: new Map(handles.flat()), opens: new Set(visible.flat()) };
}

function idOf(group: Group): string {
  return group.slice(group.indexOf(':') + 1);
}

async function handleOf(
  group: Group,
  { directory, log }: ReadDeps,
): Promise<readonly (readonly [Group, string])[]> {
  try {
    const { handle } = await directory.groupOf(group);
    return handle === undefined ? [] : [[group, handle]];
  } catch (error) {
    log.warn({ err: error, group }, 'Could not read the name of a group from Slack.');
    return [];
  }
}

/** Public channels are visible to every full member of the workspace, others to their members. */
async function visibleChannel(
  channel: string,
  reader: Person,
  { client, directory, log }: ReadDeps,
): Promise<readonly string[]> {
  try {
    const { members } = await directory.groupOf(`channel:${channel}`);
    if (members.has(reader.user)) return [channel];
    const { standing } = await directory.profileOf(reader);
    if (standing !== 'member') return [];
    const { channel: found } = await client.conversations.info({ channel });
    const isPublic = found?.is_channel === true && found.is_private === false;
    return isPublic ? [channel] : [];
  } catch (error) {
    log.warn(
      { err: error, channel },
      'Could not read from Slack whether a person can open a channel.',
    );
    return [];
  }
}
