/** A stage whose web is a server of the test: the requests of the app, and how it handles the responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createWebServer } from '../../agent/tools/web/web-server.ts';
import { type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';
import { createToolCalls, type ToolCall, type ToolCalls } from './tool-calls.ts';

const APP = fileURLToPath(new URL('../../fixtures/apps/open-reach-app.ts', import.meta.url));

/** The response of the web server. */
export type WebAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** The key of the search service. */
export const KEY = 'tvly-key-of-this-journey';

export interface WebStage extends FieldStage {
  readonly calls: ToolCalls;
  readonly server: Awaited<ReturnType<typeof createWebServer>>;
  /** The local address and path of each request; 127.0.0.1 counts as public, all others do not. */
  readonly reached: readonly string[];
  /** A call that is approved, with this response from the web, and the requests that it led to. */
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
