/**
 * The routes for admins, in the modal and App Home: those set in Slack with buttons, then the
 * policy file's rules, read-only.
 */
import type { Button, KnownBlock, SectionBlock } from '@slack/types';
import type { RouteList } from '../../desk/control/routes.ts';
import type { AdminRoute } from '../../domain/policy/admin-routes.ts';
import type { Handles } from '../../domain/policy/describe-route.ts';
import type { Policy } from '../../domain/policy/policy.ts';
import type { Route } from '../../domain/policy/route.ts';
import { LIMITS } from '../text/limits.ts';
import { dateText, escapeMrkdwn, mention } from '../text/mrkdwn.ts';
import { describePolicyRules } from './policy-rules-text.ts';
import { encodeRouteToken, ROUTE_ACTIONS } from './route-ids.ts';
import { routeSummary } from './route-summary.ts';

/** The most tools listed per route; the form has all of them. */
const MAX_TOOLS = 10;

/** The routes, and the handles of user groups. */
export type ShownRoutes = Pick<RouteList, 'book' | 'policy'> & { readonly handles: Handles };

/** Builds the blocks of the modal, with a notice at the top. */
export function buildRoutesBlocks(
  { book, handles, policy }: ShownRoutes,
  notice?: string,
): KnownBlock[] {
  return [
    ...(notice === undefined ? [] : [section(`:information_source: ${notice}`)]),
    section(intro(book.routes.length, policy?.policy)),
    {
      type: 'actions',
      block_id: ROUTE_ACTIONS.add,
      elements: [button('Add Route', ROUTE_ACTIONS.add, 'new', { style: 'primary' })],
    },
    ...book.routes.flatMap((route) => routeBlocks(route, handles)),
    { type: 'divider' },
    ...rulesBlocks(policy?.policy, handles),
  ];
}

/** Builds the section of App Home: a line for each route, and the rules. */
export function buildRoutesSection({ book, handles, policy }: ShownRoutes): KnownBlock[] {
  return [
    { type: 'header', text: { type: 'plain_text', text: 'Routes' } },
    section(intro(book.routes.length, policy?.policy)),
    ...book.routes.map((route): KnownBlock => {
      const token = encodeRouteToken(route.name, route.revision);
      return {
        ...section(describeRoute(route, handles)),
        block_id: `route:${route.name}`,
        accessory: button('Change', ROUTE_ACTIONS.change, token),
      };
    }),
    {
      type: 'actions',
      block_id: ROUTE_ACTIONS.add,
      elements: [
        button('Add Route', ROUTE_ACTIONS.add, 'new'),
        button('All Routes', ROUTE_ACTIONS.manage, 'all'),
      ],
    },
    ...rulesBlocks(policy?.policy, handles),
  ];
}

function rulesBlocks(policy: Policy<Route> | undefined, handles: Handles): KnownBlock[] {
  return policy ? describePolicyRules(policy, handles).map(section) : [section(BUILT_IN)];
}

function intro(count: number, policy: Policy<Route> | undefined): string {
  const what =
    count === 0
      ? 'No routes are set in Slack yet. A route says where cards go and who decides.'
      : 'These routes say where the cards of their tools go and who decides.';
  if (policy?.slackMayLoosen) {
    return `${what} ${count === 0 ? 'It overrides' : 'They override'} the rules of the policy file (\`slackMayLoosen\`).`;
  }
  return policy
    ? `${what} ${count === 0 ? 'It' : 'They'} can be stricter than the policy file, but never weaker.`
    : what;
}

const BUILT_IN =
  '*Without a policy file* `list_files`, `read_file`, `search_files` and `task` run without asking; everything else needs the requester’s approval. A route above makes its tools ask its approvers instead. No route lets a call run without asking.';

function routeBlocks(route: AdminRoute, handles: Handles): KnownBlock[] {
  const { changedAt, changedBy, name, revision } = route;
  const token = encodeRouteToken(name, revision);
  return [
    { type: 'divider' },
    section(describeRoute(route, handles)),
    {
      type: 'context',
      elements: [
        {
          type: 'mrkdwn',
          text: `Set by ${mention(changedBy.user)}, ${dateText(changedAt)}`,
        },
      ],
    },
    {
      type: 'actions',
      block_id: `route:${name}`,
      elements: [
        button('Change', ROUTE_ACTIONS.change, token),
        button('Remove', ROUTE_ACTIONS.remove, token, {
          style: 'danger',
          confirm: {
            title: { type: 'plain_text', text: 'Remove this route?' },
            text: {
              type: 'plain_text',
              text: 'Its calls will then follow only the policy, and its channel will be notified.',
            },
            confirm: { type: 'plain_text', text: 'Remove' },
            deny: { type: 'plain_text', text: 'Cancel' },
            style: 'danger',
          },
        }),
      ],
    },
  ];
}

function describeRoute(route: AdminRoute, handles: Handles): string {
  const shown = route.tools.slice(0, MAX_TOOLS).map((tool) => `\`${escapeMrkdwn(tool)}\``);
  const left = route.tools.length - shown.length;
  const used = shown.length === 0 ? 'no tools yet' : shown.join(' ');
  return `*${route.name}*: ${used}${left > 0 ? ` and ${left} more` : ''}\n${routeSummary(route, handles)}`;
}

function section(text: string): SectionBlock {
  const most = LIMITS.sectionText;
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return { type: 'section', text: { type: 'mrkdwn', text: cut }, expand: true };
}

function button(
  text: string,
  actionId: string,
  value: string,
  more: Pick<Button, 'style' | 'confirm'> = {},
): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text },
    action_id: actionId,
    value,
    ...more,
  };
}
