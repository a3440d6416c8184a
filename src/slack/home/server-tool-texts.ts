/** Texts for admins about the tools of MCP servers. Text of a server is shown as data, never as markup. */
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
import { buildNotice, type ComposedMessage } from '../outbound/build-messages.ts';
import { BUDGET, LIMITS } from '../text/limits.ts';
import { mention, toPlainText } from '../text/mrkdwn.ts';
import { COMMAND } from '../transport/ids.ts';

/** A difference with more changed lines is too long to read. */
const MAX_CHANGED_LINES = 1_000;
/** Characters for all servers in one message. */
const SERVERS_BUDGET = 3_000;
const MAX_CHANGED = 4;
const MAX_LEFT_OUT = 3;
const MAX_NAME = 60;
const MAX_REASON = 160;
const MAX_NAMED = 10;

/** Lists the servers and their changed tools; with `name`, only that changed tool. */
export function listServerTools(found: ServerToolList, name: string): ComposedMessage {
  const { changed, servers } = found;
  if (servers.length === 0) {
    return buildNotice('There are no MCP servers in `MCP_CONFIG`.');
  }
  const matching = changed.filter((each) => each.name === name);
  if (name !== '' && matching.length === 0) {
    return buildNotice(
      'No tool with that name needs to be accepted. `/countersign tools` lists those that do.',
    );
  }
  if (name !== '')
    return combine(
      buildNotice(''),
      matching.map((each) => showChange(each, BUDGET.pagePiece)),
    );
  const shown = changed.slice(0, MAX_CHANGED);
  const left = changed.length - shown.length;
  return combine(
    buildNotice([...describeServers(servers), describeChanged(changed.length)].join('\n')),
    shown.map((each) => showChange(each, DIFFERENCES_BUDGET / MAX_CHANGED)),
    left > 0 ? [buildNotice(`… and ${left} more. They are shown once these are accepted.`)] : [],
  );
}

/** Characters for all differences in one message. */
const DIFFERENCES_BUDGET = 5_000;

function combine(
  first: ComposedMessage,
  changes: readonly (readonly KnownBlock[])[],
  last: readonly ComposedMessage[] = [],
): ComposedMessage {
  const blocks = [...first.blocks, ...changes.flat(), ...last.flatMap((each) => each.blocks)];
  return { text: first.text, blocks: blocks.slice(0, LIMITS.messageBlocks) };
}

function describeServers(servers: readonly ServerState[]): readonly string[] {
  const lines: string[] = [];
  let left = SERVERS_BUDGET;
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
      `   skipped \`${plain(each.name, MAX_NAME)}\`: \`${plain(each.reason, MAX_REASON)}\``,
    );
  }
  return lines.join('\n');
}

function describeChanged(count: number): string {
  if (count === 0) return 'None of their tools have changed since they were accepted.';
  const what = count === 1 ? 'One tool has' : `${count} tools have`;
  return `:warning: ${what} changed. Changed tools can’t be called until an admin accepts them.`;
}

function showChange(change: ChangedTool, maxLength: number): KnownBlock[] {
  const { before, hash, name } = change;
  const by = before.by
    ? `accepted by ${mention(before.by.user)}`
    : 'originally listed by the server';
  const piece = truncateValue(renderDifference(change), maxLength);
  const isCut = piece.text.length < renderDifference(change).text.length;
  const more = isCut ? [`\`${COMMAND} tools ${name}\` shows more.`] : [];
  return [
    ...buildNotice(`*${name}*, ${by}. Current version:`).blocks,
    ...buildValueBlock([piece]),
    ...buildNotice(
      [`\`${COMMAND} accept ${name} ${shortPin(hash)}\` accepts this version.`, ...more].join('\n'),
    ).blocks,
  ];
}

const SHOWN = plainMasking({ reveals: true });

/** Compares the accepted and the current version, line by line. */
function renderDifference({ before, name, now }: ChangedTool): ShownArgument {
  const [old, next] = [printClaims(before.claims), printClaims(now)];
  const patch = diffLines(old, next, {
    context: 1,
    maxChanged: MAX_CHANGED_LINES,
    names: ['accepted', 'now'],
  });
  const same =
    'The part shown here is unchanged. The description differs further on, past what can be shown.';
  const text = old === next ? same : (patch ?? `Everything differs. It is now:\n${next}`);
  return renderText(`Changes in ${name}`, text, SHOWN);
}

function printClaims({ annotations, description, schema }: ToolClaims): string {
  const parts = { annotations, schema };
  return `description:\n${description}\n${JSON.stringify(parts, undefined, 1)}\n`;
}

/** Describes on an admin’s Home which tools need to be accepted. */
export function describeWaitingTools(changed: readonly ChangedTool[]): string {
  const names = changed.slice(0, MAX_NAMED).map(({ name }) => `\`${name}\``);
  const left = changed.length - names.length;
  const all = `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return `${describeChanged(changed.length)} \`${COMMAND} tools\` shows the differences: ${all}`;
}

/** Describes the result of an acceptance. */
export function describeAccepted(outcome: AcceptOutcome, isNamed: boolean): ComposedMessage {
  switch (outcome.kind) {
    case 'accepted':
      return buildNotice(
        `Accepted: \`${outcome.name}\` can be called again, under the policy as before. Calls made before the change won’t run.`,
      );
    case 'not-changed':
      return buildNotice(
        `No tool with that name needs to be accepted. \`${COMMAND} tools\` lists those that do.`,
      );
    case 'other':
      return combine(
        buildNotice(
          isNamed
            ? 'Not accepted: it has changed again. Check it again.'
            : 'Not accepted yet: check the changes first.',
        ),
        [showChange(outcome.changed, BUDGET.pagePiece)],
      );
  }
}

/** Makes a text safe inside inline code, where only backticks and entities have a meaning. */
function plain(text: string, maxLength: number): string {
  const line = text.replaceAll('`', '’').replaceAll(/\s+/g, ' ').trim();
  return toPlainText(toVisible(line.slice(0, maxLength)).text);
}
