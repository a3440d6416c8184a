/** What admins are told of the tools of MCP servers. What a server says stands there as data, never as markup. */
import type { KnownBlock } from '@slack/types';
import type { ServerToolList } from '../../desk/control/server-tools.ts';
import { plainMasking } from '../../domain/secrets/mask-secrets.ts';
import { diffLines } from '../../domain/text/line-diff.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import type { AcceptOutcome, ChangedTool, ServerState } from '../../domain/tools/server-tools.ts';
import { shortPin, type ToolClaims } from '../../domain/tools/tool-pin.ts';
import { truncateValue } from '../cards/values/fit-values.ts';
import { renderText, type ShownArgument } from '../cards/values/render-arguments.ts';
import { buildValueBlock } from '../cards/values/rich-text-blocks.ts';
import { COMMAND } from '../interactions/parse-command.ts';
import { buildNotice, type ComposedMessage } from '../outbound/build-messages.ts';
import { BUDGET, LIMITS } from './limits.ts';
import { mention, toPlainText } from './mrkdwn.ts';

/** Beyond this many changed lines a difference tells nobody anything. */
const MAX_CHANGED_LINES = 1_000;
/** Text of all servers on one message. */
const SERVERS = 3_000;
const MAX_CHANGED = 4;
const MAX_LEFT_OUT = 3;
const MAX_NAME = 60;
const MAX_REASON = 160;
const MAX_NAMED = 10;

/** Lists the servers, and what of their tools has changed; `name` asks for one of those alone. */
export function listServerTools(found: ServerToolList, name: string): ComposedMessage {
  const { changed, servers } = found;
  if (servers.length === 0) {
    return buildNotice('There are no MCP servers: `MCP_CONFIG` names none.');
  }
  const one = changed.filter((each) => each.name === name);
  if (name !== '' && one.length === 0) {
    return buildNotice(
      'No tool of that name waits to be accepted. `/countersign tools` lists those that do.',
    );
  }
  if (name !== '')
    return together(
      buildNotice(''),
      one.map((each) => showChange(each, BUDGET.pagePiece)),
    );
  const shown = changed.slice(0, MAX_CHANGED);
  const left = changed.length - shown.length;
  return together(
    buildNotice([...describeServers(servers), describeChanged(changed.length)].join('\n')),
    shown.map((each) => showChange(each, DATA / MAX_CHANGED)),
    left > 0 ? [buildNotice(`… and ${left} more, once these are accepted.`)] : [],
  );
}

/** Text of all differences on one message. */
const DATA = 5_000;

function together(
  first: ComposedMessage,
  changes: readonly (readonly KnownBlock[])[],
  last: readonly ComposedMessage[] = [],
): ComposedMessage {
  const blocks = [...first.blocks, ...changes.flat(), ...last.flatMap((each) => each.blocks)];
  return { text: first.text, blocks: blocks.slice(0, LIMITS.messageBlocks) };
}

function describeServers(servers: readonly ServerState[]): readonly string[] {
  const lines: string[] = [];
  let left = SERVERS;
  for (const server of servers) {
    const line = describeServer(server);
    left -= line.length;
    if (left < 0) return [...lines, `• … and ${servers.length - lines.length} more`];
    lines.push(line);
  }
  return lines;
}

function describeServer({ isConnected, leftOut, name, problem, tools }: ServerState): string {
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  const state = isConnected ? 'connected' : 'not connected';
  const lines = [`• \`${plain(name, MAX_NAME)}\`: ${state}, ${count}`];
  if (problem !== undefined) lines.push(`   can’t be used: \`${plain(problem, MAX_REASON)}\``);
  for (const each of leftOut.slice(0, MAX_LEFT_OUT)) {
    lines.push(
      `   left out \`${plain(each.name, MAX_NAME)}\`: \`${plain(each.reason, MAX_REASON)}\``,
    );
  }
  return lines.join('\n');
}

function describeChanged(count: number): string {
  if (count === 0) return 'All of their tools are as they were accepted.';
  const what = count === 1 ? 'One tool is' : `${count} tools are`;
  return `:warning: ${what} not what was accepted. Nobody can call what has changed until an admin accepts it.`;
}

function showChange(change: ChangedTool, most: number): KnownBlock[] {
  const { before, hash, name } = change;
  const by = before.by
    ? `accepted by ${mention(before.by.user)}`
    : 'as the server said it at first';
  const piece = truncateValue(differenceOf(change), most);
  const whole = piece.text.length < differenceOf(change).text.length;
  const more = whole ? [`\`${COMMAND} tools ${name}\` shows more of it.`] : [];
  return [
    ...buildNotice(`*${name}*, ${by}. What the server says now:`).blocks,
    ...buildValueBlock([piece]),
    ...buildNotice(
      [`\`${COMMAND} accept ${name} ${shortPin(hash)}\` takes it so.`, ...more].join('\n'),
    ).blocks,
  ];
}

const SHOWN = plainMasking({ reveals: true });

/** The old and the new, line by line. */
function differenceOf({ before, name, now }: ChangedTool): ShownArgument {
  const [old, next] = [printClaims(before.claims), printClaims(now)];
  const patch = diffLines(old, next, {
    context: 1,
    maxChanged: MAX_CHANGED_LINES,
    names: ['accepted', 'now'],
  });
  const same = 'What can be shown is the same; the description is longer than that, and differs.';
  const text = old === next ? same : (patch ?? `All of it differs. It is now:\n${next}`);
  return renderText(`Difference of ${name}`, text, SHOWN);
}

function printClaims({ annotations, description, schema }: ToolClaims): string {
  const parts = { annotations, schema };
  return `description:\n${description}\n${JSON.stringify(parts, undefined, 1)}\n`;
}

/** Says on an admin's Home that tools wait to be accepted. */
export function describeWaitingTools(changed: readonly ChangedTool[]): string {
  const names = changed.slice(0, MAX_NAMED).map(({ name }) => `\`${name}\``);
  const left = changed.length - names.length;
  const all = `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return `${describeChanged(changed.length)} \`${COMMAND} tools\` shows what is different: ${all}`;
}

/** Says what became of an acceptance. */
export function describeAccepted(outcome: AcceptOutcome, isNamed: boolean): ComposedMessage {
  switch (outcome.kind) {
    case 'accepted':
      return buildNotice(
        `Accepted: \`${outcome.name}\` can be called again, under the policy as before. Calls that were made before the change are not run.`,
      );
    case 'not-changed':
      return buildNotice(
        `No tool of that name waits to be accepted. \`${COMMAND} tools\` lists those that do.`,
      );
    case 'other':
      return together(
        buildNotice(
          isNamed
            ? 'Not accepted: it has changed once more. Look again.'
            : 'Not accepted yet: look at it first.',
        ),
        [showChange(outcome.changed, BUDGET.pagePiece)],
      );
  }
}

/** Inside of code nothing but its own mark means anything, and what Slack reads as an entity. */
function plain(text: string, most: number): string {
  const line = text.replaceAll('`', '’').replaceAll(/\s+/g, ' ').trim();
  return toPlainText(toVisible(line.slice(0, most)).text);
}
