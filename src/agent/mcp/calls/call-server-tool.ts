import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';
import { UnknownOutcomeError } from '../../../domain/tools/tool.ts';
import { markUntrusted } from '../../tools/untrusted-text.ts';
import type { McpSession } from '../connection/open-session.ts';
import { isStreamCutOff } from '../connection/server-fetch.ts';
import { describeMcpError, errorCodeOf } from '../describe-error.ts';
import { formatServerResult, ResultSchema } from './format-result.ts';

/** No timeout by default: the tool runner has its own deadline and aborts the signal. */
const NEVER_MS = 2_147_483_647;

/**
 * Calls a server's tool once. Resolves with text for the model. Rejects if it failed, with an
 * `UnknownOutcomeError` if the answer was lost.
 */
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
    /** Timeout in milliseconds. (Default: until the signal aborts.) */
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
  if (result.isError) throw new Error(text === '' ? 'the server gave no reason.' : text);
  return text;
}

/** Converts a failure. If the request may have reached the server, the outcome is unknown. */
function toFailure(
  server: string,
  session: McpSession,
  error: unknown,
  signal: AbortSignal,
): Error {
  if (signal.aborted) {
    const why = `The MCP server “${server}” was told to stop this call, and did not report how far it got.`;
    return new UnknownOutcomeError(why, { cause: error });
  }
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
    const why = `The MCP server “${server}” exceeded its “timeout” in MCP_CONFIG, and did not report how far it got.`;
    return new UnknownOutcomeError(why, { cause: error });
  }
  if (isRefused(session, error)) {
    const quoted = markUntrusted(`the MCP server “${server}”`, describeMcpError(error));
    return new Error(`the MCP server “${server}” refused it.\n${quoted}`, { cause: error });
  }
  if (isNotSent(error)) {
    return new Error(`the MCP server “${server}” can't be reached: ${describeMcpError(error)}`, {
      cause: error,
    });
  }
  const why = isAnswered(error)
    ? `The MCP server “${server}” sent an invalid result, so it is unclear how far this got.`
    : `The connection to the MCP server “${server}” was lost while this ran.`;
  return new UnknownOutcomeError(why, { cause: error });
}

/** Creates the error for a call that was not sent. The server's message is marked as untrusted. */
export function toNotSentError(server: string, error: unknown): Error {
  if (isNotSent(error)) return error instanceof Error ? error : new Error(String(error));
  const quoted = markUntrusted(`the MCP server “${server}”`, describeMcpError(error));
  return new Error(
    `the MCP server “${server}” can't be used, and was not asked to run this.\n${quoted}`,
    {
      cause: error,
    },
  );
}

/** Returns whether a server refused a request because it does not know the session. https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management */
export function isSessionLost(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** Returns whether the session may be lost: many servers answer 400, which has other causes too. */
export function isSessionPossiblyLost(error: unknown): boolean {
  return statusOf(error) === 400;
}

/** Returns the HTTP status of an error or its cause. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof StreamableHTTPError) return error.code;
  return error instanceof Error ? statusOf(error.cause) : undefined;
}

/** Returns whether the server answered with something invalid. */
function isAnswered(error: unknown): boolean {
  return (
    error instanceof StreamableHTTPError ||
    error instanceof z.ZodError ||
    error instanceof SyntaxError
  );
}

/** Returns whether the server, or a proxy before it, refused the request. */
function isRefused(session: McpSession, error: unknown): boolean {
  if (error instanceof StreamableHTTPError) {
    const { code = 0 } = error;
    return code >= 300 && code < 500;
  }
  return error instanceof McpError && !session.isClosed() && !isStreamCutOff(error);
}

function isNotSent(error: unknown): boolean {
  // The SDK client's error for a connection that was already closed.
  if (error instanceof Error && error.message === 'Not connected') return true;
  return NOT_SENT.has(errorCodeOf(error) ?? '');
}

/** Without a connection, nothing was sent. https://nodejs.org/api/errors.html#common-system-errors */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A program that is missing or can't be started.
  'ENOENT',
  'EACCES',
]);
