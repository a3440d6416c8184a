/** The policy file's rules as admins see them in Slack: to be read only. */
import type { Policy, Rule, Ruling } from '../../domain/policy.ts';
import type { Route } from '../../domain/route.ts';
import { toVisible } from '../cards/visible-text.ts';
import { escapeMrkdwn } from '../mrkdwn.ts';
import { describeInLine } from './describe-in-line.ts';

/** Rules beyond these are in the file. */
const MOST_RULES = 60;
/** Of one section. */
const MOST_TEXT = 2_800;
const MOST_CONDITION = 200;
/** With twenty routes of four blocks each a view still has room for so many. */
const MOST_TEXTS = 8;

/** Writes the rules, their default and their routes in as few texts as hold them, in Slack's markup. */
export function sayFileRules(policy: Policy<Route>): readonly string[] {
  const { fallback, rules } = policy;
  const shown = rules.slice(0, MOST_RULES).map(sayRule);
  const left = rules.length - shown.length;
  const lines = [
    '*The policy file*, which is changed by whoever runs me:',
    ...shown,
    ...(left > 0 ? [`… and ${left} more rules.`] : []),
    `• ${fallback.name}: ${sayRuling(fallback.ruling)}`,
    ...routesOf(policy).map(
      (route) => `• route *${escapeMrkdwn(route.name)}*: ${describeFiled(route)}`,
    ),
  ];
  return pack(lines);
}

function sayRule({ agents, name, ruling, tools, when }: Rule<Route>): string {
  const globs = tools.map((tool) => `\`${escapeMrkdwn(tool)}\``).join(' ');
  const who = agents ? ` of ${agents.map(escapeMrkdwn).join(', ')}` : '';
  const condition = when === undefined ? '' : ` when \`${code(when)}\``;
  return `• ${name}: ${globs}${who}${condition} ${sayRuling(ruling)}`;
}

function sayRuling(ruling: Ruling<Route>): string {
  switch (ruling.gate) {
    case 'run':
      return 'run unasked';
    case 'ask':
      return `ask on the route “${escapeMrkdwn(ruling.route.name)}”`;
    case 'refuse':
      return `are refused: ${escapeMrkdwn(ruling.reason)}`;
  }
}

function code(text: string): string {
  const line = toVisible(text.replaceAll(/[`\n]/g, ' ')).text;
  return escapeMrkdwn(line.length > MOST_CONDITION ? `${line.slice(0, MOST_CONDITION)}…` : line);
}

function describeFiled({ escalate, ...route }: Route): string {
  const to = escalate && { afterMs: escalate.afterMs, to: escalate.to.name };
  return describeInLine({ ...route, ...(to && { escalate: to }) });
}

function routesOf({ fallback, rules }: Policy<Route>): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const { ruling } of [...rules, fallback]) {
    let at = ruling.gate === 'ask' ? ruling.route : undefined;
    for (; at && !routes.has(at.name); at = at.escalate?.to) routes.set(at.name, at);
  }
  return [...routes.values()];
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
  return texts.slice(0, MOST_TEXTS);
}
