/** One-line names of calls. */
import type { CallOrigin } from '../calls/call-origin.ts';
import { toWellFormed } from '../json/to-plain-json.ts';
import type { SentencePart } from '../text/sentence.ts';
import { toVisible } from '../text/visible-text.ts';
import { serverPrefix } from '../tools/server-tools.ts';

/** Maximum length of a title in characters: that of a Slack header. */
export const MAX_TITLE_LENGTH = 150;

/** The fields that say whose tool a call uses. */
interface OwnedCall {
  readonly outside?: object | undefined;
  /** The MCP server that offers the tool. */
  readonly server?: string | undefined;
}

/** The fields that make up a call's name. */
interface NamedCall extends OwnedCall {
  readonly outside?: Pick<CallOrigin, 'by' | 'name'> | undefined;
  readonly summary?: string | undefined;
  readonly tool: string;
}

/** Returns whether a call's tool belongs to a third party: a program, an MCP server or a graph. */
export function isThirdParty({ outside, server }: OwnedCall): boolean {
  return outside !== undefined || server !== undefined;
}

/**
 * Returns a call's title: plain text, every character visible. It is the summary, or for
 * third-party tools the caller and the tool's name. After a `·` come only our own words about
 * arguments of a known shape, never the third party's.
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

/** Tool names of a server start with the server's name; drop it. */
function ownNameOf(tool: string, server: string): string {
  const prefix = `${serverPrefix(server)}__`;
  return tool.startsWith(prefix) && tool !== prefix ? tool.slice(prefix.length) : tool;
}

/** Turns a tool name into words: `close_account` becomes “Close account”. */
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

/** Puts a text on one line: runs of white space and control characters become one space. */
export function toSingleLine(text: string): string {
  return toWellFormed(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Truncates a line to a maximum length, with an ellipsis. */
export function truncateLine(line: string, most = MAX_TITLE_LENGTH): string {
  if (line.length <= most) return line;
  return `${line.slice(0, most - 1).replace(/(?:[\ud800-\udbff]|\s)+$/, '')}…`;
}

/** Returns a call's title as part of a sentence. */
export function callTitlePart(call: Parameters<typeof callTitle>[0]): SentencePart {
  return { callName: callTitle(call) };
}
