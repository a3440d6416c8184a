/** A route in words for people: what it says of each thing, and what a change makes of it. */
import { sayDuration } from './duration.ts';
import { isGroup } from './permit.ts';
import type { Approver, DecisionKind } from './route.ts';
import {
  joinSentences,
  plainSentence,
  type Sentence,
  type SentencePart,
  sentence,
} from './sentence.ts';
import type { SlackRouteDraft } from './slack-routes.ts';

/** One thing that a route says. */
export interface RouteFact {
  readonly label: string;
  readonly words: Sentence;
}

/** What is shown of a route; a route of the policy file has no tools. */
export type ShownRoute = Omit<SlackRouteDraft, 'tools' | 'name'> &
  Partial<Pick<SlackRouteDraft, 'tools'>>;

/** Says all that a route says, in the order of its form. */
export function describeRoute(route: ShownRoute): readonly RouteFact[] {
  const { channel, deadlineMs, escalate, quorum, remindAfterMs, tools } = route;
  return [
    ...(tools ? [{ label: 'Tools', words: tools.join(', ') || 'none' }] : []),
    {
      label: 'Card',
      words: channel === undefined ? 'in the thread' : sentence`in ${{ channel }}`,
    },
    { label: 'Who decides', words: nameApprovers(route.approvers) },
    { label: 'Approvals', words: `${quorum}${sayCounts(route)}` },
    { label: 'Buttons', words: route.decisions.map((decision) => BUTTONS[decision]).join(', ') },
    { label: 'Deadline', words: sayDuration(deadlineMs) },
    {
      label: 'Reminder',
      words: remindAfterMs === undefined ? 'none' : `after ${sayDuration(remindAfterMs)}`,
    },
    {
      label: 'Goes on',
      words: escalate ? `after ${sayDuration(escalate.afterMs)} to “${escalate.to}”` : 'no',
    },
  ];
}

/** Says what a change makes of a route, before and after; empty when it changes nothing. */
export function describeChange(before: ShownRoute, after: ShownRoute): readonly Sentence[] {
  const was = new Map(describeRoute(before).map(({ label, words }) => [label, words]));
  return describeRoute(after).flatMap(({ label, words }) => {
    const old = was.get(label) ?? 'nothing';
    if (plainSentence(old) === plainSentence(words)) return [];
    return [sentence`${label}: ${old} → ${words}`];
  });
}

/** Names those who decide. */
export function nameApprovers(approvers: readonly Approver[]): Sentence {
  if (approvers.length === 0) return 'nobody';
  return joinSentences(approvers.map(nameApprover), ', ');
}

function nameApprover(approver: Approver): SentencePart {
  if (approver === 'requester') return 'whoever asked';
  return isGroup(approver) ? { group: approver } : { person: approver.slice('user:'.length) };
}

function sayCounts({
  allowsGuests,
  requiresReason,
  selfApproval,
}: Pick<ShownRoute, 'allowsGuests' | 'requiresReason' | 'selfApproval'>): string {
  const own = selfApproval ? 'also one’s own call' : 'not one’s own call';
  const reason = requiresReason ? ', with a reason' : '';
  return ` (${own})${reason}${allowsGuests ? ', guests too' : ''}`;
}

const BUTTONS: Readonly<Record<DecisionKind, string>> = {
  approve: 'Approve',
  edit: 'Edit',
  reply: 'Reply',
  ignore: 'Ignore',
};
