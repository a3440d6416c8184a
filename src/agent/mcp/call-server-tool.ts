import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { JsonValue } from '../../domain/json/json.ts';
import { UnknownOutcomeError } from '../../domain/tools/tool.ts';
import { markUntrusted } from '../tools/untrusted-text.ts';
import { describeMcpError, errorCodeOf } from './describe-error.ts';
import { formatServerResult, ResultSchema } from './format-result.ts';
import type { McpSession } from './server-connection.ts';
import { isStreamCutOff } from './server-fetch.ts';

/** Whoever runs the tool has a deadline of its own, and tells by the signal. */
const NEVER_MS = 2_147_483_647;

/** Calls a tool of a server once; resolves with what the model is told, rejects when it failed, with an `UnknownEndError` when the answer was lost. */
export async function callServerTool(
  server: string,
  session: McpSession,
  {
    args,
    tool,
    signal,
    ms = NEVER_MS,
  }: {
    readonly args: JsonValue;
    readonly tool: string;
    readonly signal: AbortSignal;
    /** How long the answer may take. (Default: until the signal.) */
    readonly ms?: number | undefined;
  },
): Promise<string> {
  const params = { name: tool, arguments: args };
  const result = await session.client
    .request({ method: 'tools/call', params }, ResultSchema, {
      signal,
      timeout: Math.min(ms, NEVER_MS),
    })
    .catch((error: unknown) => {
      throw toFailure(server, session, error, signal);
    });
  const text = formatServerResult(server, result);
  if (result.isError) throw new Error(text === '' ? 'it says no more than that.' : text);
  return text;
}

/** What had reached the server may have run, whatever has become of the answer. */
function toFailure(
  server: string,
  session: McpSession,
  error: unknown,
  signal: AbortSignal,
): Error {
  if (signal.aborted) {
    const why = `The MCP server “${server}” was told to end this, and does not say how far it had come.`;
    return new UnknownOutcomeError(why, { cause: error });
  }
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
    const why = `The MCP server “${server}” took longer than its “timeout” in MCP_CONFIG allows, and does not say how far it had come.`;
    return new UnknownOutcomeError(why, { cause: error });
  }
  if (isRefused(session, error)) {
    const said = markUntrusted(`the MCP server “${server}”`, describeMcpError(error));
    return new Error(`the MCP server “${server}” refused it.\n${said}`, { cause: error });
  }
  if (isNotSent(error)) {
    return new Error(`the MCP server “${server}” can't be reached: ${describeMcpError(error)}`, {
      cause: error,
    });
  }
  const why = isAnswered(error)
    ? `What the MCP server “${server}” answered is no result, and does not say how far this had come.`
    : `The connection to the MCP server “${server}” was lost while this ran.`;
  return new UnknownOutcomeError(why, { cause: error });
}

/** Says why a call was not sent; what a server says in place of its list is no less a stranger's than a result. */
export function toNotSentError(server: string, error: unknown): Error {
  if (isNotSent(error)) return error instanceof Error ? error : new Error(String(error));
  const said = markUntrusted(`the MCP server “${server}”`, describeMcpError(error));
  return new Error(
    `the MCP server “${server}” can't be used, and was not asked to run this.\n${said}`,
    {
      cause: error,
    },
  );
}

/** Tells whether a server refused a request since it does not know the session. https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management */
export function isSessionLost(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** Tells whether that may be so: many servers say 400, which may mean anything else too. */
export function isSessionPossiblyLost(error: unknown): boolean {
  return statusOf(error) === 400;
}

/** Of the answer that lies behind an error. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof StreamableHTTPError) return error.code;
  return error instanceof Error ? statusOf(error.cause) : undefined;
}

/** It was heard, and can't be made sense of. */
function isAnswered(error: unknown): boolean {
  return (
    error instanceof StreamableHTTPError ||
    error instanceof z.ZodError ||
    error instanceof SyntaxError
  );
}

/** An answer of the server's own, or of what stands before it. */
function isRefused(session: McpSession, error: unknown): boolean {
  if (error instanceof StreamableHTTPError) {
    const { code = 0 } = error;
    return code >= 300 && code < 500;
  }
  return error instanceof McpError && !session.isClosed() && !isStreamCutOff(error);
}

function isNotSent(error: unknown): boolean {
  // What the protocol's client says of a connection that was gone before.
  if (error instanceof Error && error.message === 'Not connected') return true;
  return NOT_SENT.has(errorCodeOf(error) ?? '');
}

/** Where no connection came about, nothing was asked. https://nodejs.org/api/errors.html#common-system-errors */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A program that is not there, or can't be started.
  'ENOENT',
  'EACCES',
]);
