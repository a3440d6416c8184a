/** The policy file's rules as admins see them in Slack: to be read only. */
import { sayAgentPattern } from '../../domain/policy/agent-name.ts';
import type { Handles } from '../../domain/policy/describe-route.ts';
import type { Policy, Rule, Ruling } from '../../domain/policy/policy.ts';
import { REQUESTER_ROUTE, type Route } from '../../domain/policy/route.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { escapeMrkdwn } from '../text/mrkdwn.ts';
import { describeInLine } from './route-summary.ts';

/** Of one section. */
const MOST_TEXT = 2_800;
const MOST_CONDITION = 200;
/** With twenty routes of four blocks each a view still has room for so many. */
const MOST_TEXTS = 8;

/** Writes the rules, their default and their routes in as few texts as hold them, in Slack's markup. */
export function sayFileRules(policy: Policy<Route>, handles: Handles): readonly string[] {
  const { fallback, rules } = policy;
  const lines = [
    '*The policy file*, which is changed by whoever runs me:',
    ...rules.map(sayRule),
    `• ${fallback.name} → ${sayRuling(fallback.ruling)}`,
    ...routesOf(policy).map(
      (route) => `• route *${escapeMrkdwn(route.name)}*: ${describeFiled(route, handles)}`,
    ),
  ];
  return pack(lines);
}

function sayRule({ agents, name, ruling, tools, when }: Rule<Route>): string {
  const globs = tools.map((tool) => `\`${escapeMrkdwn(tool)}\``).join(' ');
  const who = agents
    ? ` of ${agents.map((each) => escapeMrkdwn(sayAgentPattern(each))).join(', ')}`
    : '';
  const condition = when === undefined ? '' : ` when \`${code(when)}\``;
  return `• ${name}: ${globs}${who}${condition} → ${sayRuling(ruling)}`;
}

function sayRuling(ruling: Ruling<Route>): string {
  switch (ruling.gate) {
    case 'run':
      return 'unasked';
    case 'ask':
      return ruling.route.name === REQUESTER_ROUTE.name
        ? 'whoever asked confirms'
        : `on the route “${escapeMrkdwn(ruling.route.name)}”`;
    case 'refuse':
      return `refused: ${escapeMrkdwn(ruling.reason)}`;
  }
}

function code(text: string): string {
  const line = toVisible(text.replaceAll(/[`\n]/g, ' ')).text;
  return escapeMrkdwn(line.length > MOST_CONDITION ? `${line.slice(0, MOST_CONDITION)}…` : line);
}

function describeFiled({ escalate, ...route }: Route, handles: Handles): string {
  const to = escalate && { afterMs: escalate.afterMs, to: escalate.to.name };
  return describeInLine({ ...route, ...(to && { escalate: to }) }, handles);
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

/** Puts lines into as few texts as hold them. */
function pack(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const cut = line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT)}…` : line;
    const last = texts.at(-1);
    if (last !== undefined && last.length + cut.length < MOST_TEXT) {
      texts[texts.length - 1] = `${last}\n${cut}`;
    } else texts.push(cut);
  }
  if (texts.length <= MOST_TEXTS) return texts;
  return [...texts.slice(0, MOST_TEXTS - 1), 'There is more than fits in here: see the file.'];
}
