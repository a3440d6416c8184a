/** Describes a route, and changes to it, for people. */

import { isGroup } from '../people/person.ts';
import { formatDuration } from '../text/duration.ts';
import {
  joinSentences,
  plainSentence,
  type Sentence,
  type SentencePart,
  sentence,
} from '../text/sentence.ts';
import type { AdminRouteDraft } from './admin-routes.ts';
import type { Approver, DecisionKind } from './route.ts';

/** One property of a route, with its label. */
export interface RouteFact {
  readonly label: string;
  readonly words: Sentence;
}

/** The parts of a route that are shown. Routes of the policy file have no tools. */
export type ShownRoute = Omit<AdminRouteDraft, 'tools' | 'name'> &
  Partial<Pick<AdminRouteDraft, 'tools'>>;

/** Known handles of user groups. */
export type Handles = ReadonlyMap<string, string>;

const NO_HANDLES: Handles = new Map();

/** Describes every property of a route, in the order of its form. */
export function describeRoute(
  route: ShownRoute,
  handles: Handles = NO_HANDLES,
): readonly RouteFact[] {
  const { channel, deadlineMs, escalate, quorum, remindAfterMs, tools } = route;
  return [
    ...(tools ? [{ label: 'Tools', words: tools.join(', ') || 'none' }] : []),
    {
      label: 'Card',
      words: channel === undefined ? 'in the thread' : sentence`in ${{ channel }}`,
    },
    { label: 'Who decides', words: nameApprovers(route.approvers, handles) },
    { label: 'Approvals', words: `${quorum}${describeApprovalCount(route)}` },
    { label: 'Buttons', words: route.decisions.map((decision) => BUTTONS[decision]).join(', ') },
    { label: 'Deadline', words: formatDuration(deadlineMs) },
    ...(remindAfterMs === undefined
      ? []
      : [{ label: 'Reminder', words: `after ${formatDuration(remindAfterMs)}` }]),
    ...(escalate
      ? [
          {
            label: 'Escalates',
            words: `after ${formatDuration(escalate.afterMs)} to “${escalate.to}”`,
          },
        ]
      : []),
  ];
}

/** Describes what a change does to a route, before and after; empty if nothing changes. */
export function describeChange(
  before: ShownRoute,
  after: ShownRoute,
  handles: Handles = NO_HANDLES,
): readonly Sentence[] {
  const [was, is] = [before, after].map(
    (route) => new Map(describeRoute(route, handles).map(({ label, words }) => [label, words])),
  );
  const labels = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...labels].flatMap((label) => {
    const [old, now] = [was?.get(label) ?? NONE, is?.get(label) ?? NONE];
    if (plainSentence(old) === plainSentence(now)) return [];
    return [sentence`${label}: ${old} → ${now}`];
  });
}

const NONE = 'none';

function nameApprovers(approvers: readonly Approver[], handles: Handles): Sentence {
  if (approvers.length === 0) return 'nobody';
  return joinSentences(
    approvers.map((approver) => nameApprover(approver, handles)),
    ', ',
  );
}

function nameApprover(approver: Approver, handles: Handles): SentencePart {
  if (approver === 'requester') return 'the requester';
  if (!isGroup(approver)) return { person: approver.slice('user:'.length) };
  return { group: approver, handle: handles.get(approver) };
}

function describeApprovalCount({
  allowsGuests,
  requiresReason,
  selfApproval,
}: Pick<ShownRoute, 'allowsGuests' | 'requiresReason' | 'selfApproval'>): string {
  const own = selfApproval ? 'own calls too' : 'others’ calls only';
  const reason = requiresReason ? ', with a reason' : '';
  return ` (${own})${reason}${allowsGuests ? ', guests too' : ''}`;
}

const BUTTONS: Readonly<Record<DecisionKind, string>> = {
  approve: 'Approve',
  edit: 'Edit',
  reply: 'Reply',
  ignore: 'Ignore',
};
