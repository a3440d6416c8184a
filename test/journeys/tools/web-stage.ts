/** A stage whose web is a server of the test: what the app asks of it, and what it makes of the answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createWebServer } from '../../agent/tools/web/web-server.ts';
import { type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';
import { createToolCalls, type ToolCall, type ToolCalls } from './tool-calls.ts';

const APP = fileURLToPath(new URL('../../fixtures/apps/open-reach-app.ts', import.meta.url));

/** What the web answers. */
export type WebAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** The key of the search service. */
export const KEY = 'tvly-key-of-this-journey';

export interface WebStage extends FieldStage {
  readonly calls: ToolCalls;
  readonly server: Awaited<ReturnType<typeof createWebServer>>;
  /** The address of this machine that each request came to, and its path; 127.0.0.1 is public, all others are not. */
  readonly reached: readonly string[];
  /** A call that is approved, with this answer from the web, and the requests that it led to. */
  approved(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    answer: WebAnswer,
  ): Promise<ToolCall & { readonly requests: readonly string[] }>;
}

/** Answers with a redirect. */
export function redirectTo(location: string): WebAnswer {
  return (_request, response) => response.writeHead(302, { location }).end();
}

/** Sets up a stage; the caller closes it. */
export async function setWebStage(): Promise<WebStage> {
  let answer: WebAnswer = (_request, response) => response.end();
  const reached: string[] = [];
  const endings: (() => void)[] = [];
  const server = await createWebServer(
    { after: (end) => endings.push(end) },
    (request, response) => {
      reached.push(`${request.socket.localAddress} ${request.url}`);
      answer(request, response);
    },
  );
  const stage = await setFieldStage(
    'http',
    {
      TAVILY_API_KEY: KEY,
      TAVILY_BASE_URL: server.at('/tavily', '127.0.0.1'),
      MAX_SEARCH_RESULTS: '2',
    },
    APP,
  );
  const calls = createToolCalls(stage);
  return {
    ...stage,
    calls,
    server,
    reached,
    async approved(tool, args, how) {
      answer = how;
      const from = reached.length;
      const call = await calls.approved(tool, args);
      return { ...call, requests: reached.slice(from) };
    },
    async close() {
      await stage.close();
      for (const end of endings) end();
    },
  };
}
