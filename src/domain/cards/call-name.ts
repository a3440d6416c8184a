/** What a call is called where there is room for one line. */
import type { CallOrigin } from '../calls/call-origin.ts';
import { toWellFormed } from '../json/to-plain-json.ts';
import type { SentencePart } from '../text/sentence.ts';
import { toVisible } from '../text/visible-text.ts';
import { serverPrefix } from '../tools/server-tools.ts';

/** How many characters such a line has at most: as many as a header in Slack takes. */
export const MAX_TITLE_LENGTH = 150;

/** What of a call says whose tool it is. */
interface OwnedCall {
  readonly outside?: object | undefined;
  /** The MCP server whose tool it is. */
  readonly server?: string | undefined;
}

/** What of a call its name is made of. */
interface NamedCall extends OwnedCall {
  readonly outside?: Pick<CallOrigin, 'by' | 'name'> | undefined;
  readonly summary?: string | undefined;
  readonly tool: string;
}

/** Tells whether a call's tool is a third party's: a program's, an MCP server's or a graph's. */
export function isThirdParty({ outside, server }: OwnedCall): boolean {
  return outside !== undefined || server !== undefined;
}

/**
 * Returns a call in one line for people, as plain text with every character visible: its summary, or
 * for a third party's tool who asks and the tool's name. Where a dot follows who asks, what comes
 * behind it are our own words about arguments that we know; they are never the third party's.
 */
export function callTitle(call: NamedCall): string {
  return truncateLine(toVisible(toSingleLine(describeCall(call))).text);
}

function describeCall({ outside, server, summary, tool }: NamedCall): string {
  const asker = outside?.name ?? server;
  if (asker === undefined) return summary ?? toolTitle(tool);
  if (summary !== undefined && outside?.by === 'key') return `${asker} · ${summary}`;
  return `${asker}: ${ownNameOf(tool, asker)}`;
}

/** The tools of a server have its name before theirs. */
function ownNameOf(tool: string, server: string): string {
  const prefix = `${serverPrefix(server)}__`;
  return tool.startsWith(prefix) && tool !== prefix ? tool.slice(prefix.length) : tool;
}

/** Writes the name of a tool as words: `close_account` as “Close account”. */
export function toolTitle(tool: string): string {
  const words = tool
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[\s_.:/-]+/u)
    .filter((word) => word !== '');
  const title = words.map((word) => (isAcronym(word) ? word : word.toLowerCase())).join(' ');
  return title === '' ? tool : title.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}

function isAcronym(word: string): boolean {
  return word.length > 1 && word.toUpperCase() === word;
}

/** Puts a text on one line: each stretch of white space or control characters is one space. */
export function toSingleLine(text: string): string {
  return toWellFormed(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Cuts a line to the length that one may have, with an ellipsis. */
export function truncateLine(line: string, most = MAX_TITLE_LENGTH): string {
  if (line.length <= most) return line;
  return `${line.slice(0, most - 1).replace(/(?:[\ud800-\udbff]|\s)+$/, '')}…`;
}

/** Returns the name of a call as a part of a sentence of ours. */
export function callTitlePart(call: Parameters<typeof callTitle>[0]): SentencePart {
  return { callName: callTitle(call) };
}
