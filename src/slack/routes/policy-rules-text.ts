/** The policy file's rules as text for admins, read-only. */
import { formatAgentPattern } from '../../domain/policy/agent-name.ts';
import type { Handles } from '../../domain/policy/describe-route.ts';
import type { Policy, PolicyRuling, Rule } from '../../domain/policy/policy.ts';
import { REQUESTER_ROUTE, type Route } from '../../domain/policy/route.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { escapeMrkdwn } from '../text/mrkdwn.ts';
import { routeSummary } from './route-summary.ts';

/** The longest text of one section. */
const MAX_TEXT = 2_800;
const MAX_CONDITION = 200;
/** Twenty routes of four blocks each leave room for this many sections. */
const MAX_TEXTS = 8;

/** Formats the rules, their default and their routes as few texts in Slack's markup. */
export function describePolicyRules(policy: Policy<Route>, handles: Handles): readonly string[] {
  const { fallback, rules } = policy;
  const lines = [
    '*The policy file*, maintained by the person who runs this app:',
    ...rules.map(describeRule),
    `• ${fallback.name} → ${describeRuling(fallback.ruling)}`,
    ...routesOf(policy).map(
      (route) => `• route *${escapeMrkdwn(route.name)}*: ${describePolicyRoute(route, handles)}`,
    ),
  ];
  return pack(lines);
}

function describeRule({ agents, name, ruling, tools, when }: Rule<Route>): string {
  const globs = tools.map((tool) => `\`${escapeMrkdwn(tool)}\``).join(' ');
  const who = agents
    ? ` of ${agents.map((each) => escapeMrkdwn(formatAgentPattern(each))).join(', ')}`
    : '';
  const condition = when === undefined ? '' : ` when \`${code(when)}\``;
  return `• ${name}: ${globs}${who}${condition} → ${describeRuling(ruling)}`;
}

function describeRuling(ruling: PolicyRuling<Route>): string {
  switch (ruling.gate) {
    case 'run':
      return 'runs without asking';
    case 'ask':
      return ruling.route.name === REQUESTER_ROUTE.name
        ? 'needs the requester’s approval'
        : `on the route “${escapeMrkdwn(ruling.route.name)}”`;
    case 'refuse':
      return `refused: ${escapeMrkdwn(ruling.reason)}`;
  }
}

function code(text: string): string {
  const line = toVisible(text.replaceAll(/[`\n]/g, ' ')).text;
  return escapeMrkdwn(line.length > MAX_CONDITION ? `${line.slice(0, MAX_CONDITION)}…` : line);
}

function describePolicyRoute({ escalate, ...route }: Route, handles: Handles): string {
  const to = escalate && { afterMs: escalate.afterMs, to: escalate.to.name };
  return routeSummary({ ...route, ...(to && { escalate: to }) }, handles);
}

function routesOf({ fallback, rules }: Policy<Route>): readonly Route[] {
  const routes = new Map<string, Route>();
  const isOwn = ({ name }: Route) => name !== REQUESTER_ROUTE.name;
  for (const { ruling } of [...rules, fallback]) {
    let at = ruling.gate === 'ask' ? ruling.route : undefined;
    for (; at && !routes.has(at.name); at = at.escalate?.to) routes.set(at.name, at);
  }
  return [...routes.values()].filter(isOwn);
}

/** Joins lines into as few texts as possible. */
function pack(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const cut = line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
    const last = texts.at(-1);
    if (last !== undefined && last.length + cut.length < MAX_TEXT) {
      texts[texts.length - 1] = `${last}\n${cut}`;
    } else texts.push(cut);
  }
  if (texts.length <= MAX_TEXTS) return texts;
  return [
    ...texts.slice(0, MAX_TEXTS - 1),
    'This list is cut off. See the policy file for the rest.',
  ];
}
