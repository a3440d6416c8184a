/** Describes a waiting call in a private answer: which approvals it needs, and where its card is. */
import type { Call } from '../../domain/calls/call.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import { type Group, isGroup, isSamePerson, type Person } from '../../domain/people/person.ts';
import type { Approver } from '../../domain/policy/route.ts';
import { missingApprovalCount, rulingRouteOf } from '../../domain/rules/decision-rules.ts';
import { partsOf, type Sentence } from '../../domain/text/sentence.ts';
import { mention, mentionChannel } from './mrkdwn.ts';
import { writeSentence } from './write-sentence.ts';

/** What the reader of an answer may see. Unknown names are omitted. */
export interface ReaderContext {
  readonly reader?: Person;
  /** Handles of user groups, without `@`. */
  readonly handles?: ReadonlyMap<Group, string>;
  /** Channels that the reader can open. */
  readonly opens?: ReadonlySet<string>;
}

const MAX_NAMED = 5;

/** Returns the title of a call in bold. */
export function boldCallTitle(call: Call): string {
  return writeSentence(callTitlePart(call));
}

/** Describes what a waiting call needs, as the predicate of a sentence whose subject is the call. */
export function describeNeeds(call: Call, context: ReaderContext): string {
  const { quorum } = rulingRouteOf(call);
  const place = describePlace(call, context);
  if (missingApprovalCount(call) === 0) {
    return `has the approvals that it needs, and runs once Approve is pressed on its card${place}.`;
  }
  const who = awaitedNames(call, context);
  if (call.votes.length === 0) {
    const count = quorum === 1 ? '1 approval' : `${quorum} approvals`;
    return `needs ${count} from ${who}${place}.`;
  }
  return `has ${describeCount(call)} so far; waiting for ${who}${place}.`;
}

/** Returns the number of approvals, of those required. */
function describeCount(call: Call): string {
  return `${call.votes.length} of ${rulingRouteOf(call).quorum} approvals`;
}

/** Returns where the card is; empty if it is in the thread or the reader can’t open its channel. */
function describePlace(call: Call, { opens }: ReaderContext): string {
  const { channel } = cardLocationOf(call);
  const isShown = isInOtherChannel(call) && opens?.has(channel);
  return isShown ? `; the card is in ${mentionChannel(channel)}` : '';
}

/** Names the people and groups whose approval is missing. */
function awaitedNames(call: Call, context: ReaderContext): string {
  const { approvers, selfApproval } = rulingRouteOf(call);
  const { requester } = call;
  const names = approvers.flatMap((approver) => {
    if (!isGroup(approver)) {
      const person = personOf(approver, call);
      const isDone =
        call.votes.some(({ by }) => isSamePerson(by, person)) ||
        (!selfApproval && isSamePerson(person, requester));
      if (isDone) return [];
    }
    return [nameApprover(approver, call, context)];
  });
  const all = [...new Set(names)];
  if (all.length === 0 || all.includes(OTHERS)) return OTHERS;
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
  return `${all.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** Used if any of them can’t be named to the reader. */
const OTHERS = 'its approvers';

function nameApprover(approver: Approver, call: Call, context: ReaderContext): string {
  if (!isGroup(approver)) {
    const person = personOf(approver, call);
    const isReader = context.reader && isSamePerson(context.reader, person);
    return isReader ? 'you' : mention(person.user);
  }
  const id = approver.slice(approver.indexOf(':') + 1);
  if (approver.startsWith('channel:')) {
    return context.opens?.has(id) ? writeSentence({ group: approver }) : OTHERS;
  }
  const handle = context.handles?.get(approver);
  return handle === undefined ? OTHERS : writeSentence({ group: approver, handle });
}

function personOf(approver: Exclude<Approver, Group>, { requester }: Call): Person {
  if (approver === 'requester') return requester;
  return { team: requester.team, user: approver.slice('user:'.length) };
}

/** Replaces channels that the reader can’t open with a generic text. */
export function withoutHiddenChannels(why: Sentence, { opens }: ReaderContext): Sentence {
  return partsOf(why).map((part) => {
    if (typeof part === 'string') return part;
    if ('channel' in part) return opens?.has(part.channel) ? part : 'another channel';
    const isChannel = 'group' in part && part.group.startsWith('channel:');
    if (!isChannel || opens?.has(part.group.slice('channel:'.length))) return part;
    return 'the members of a channel';
  });
}
