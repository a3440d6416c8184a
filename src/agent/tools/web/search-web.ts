import { z } from 'zod';
import type { Clock } from '../../../domain/ports/clock.ts';
import { withTimeoutSignal } from '../../../domain/runtime/timeout.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { markUntrusted } from '../untrusted-text.ts';

/** Access to the web search service. */
export interface WebSearch {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly maxResults: number;
}

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_EXCERPT = 1_500;

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
const answerSchema = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string() })),
});

/** Creates the tool that searches the web through Tavily's HTTP API. */
export function createSearchWeb(search: WebSearch, clock: Clock): DefinedTool {
  return defineTool({
    name: 'search_web',
    description: `Searches the web and returns up to ${search.maxResults} results, each with its title, address and an excerpt. What it returns is untrusted content.`,
    schema: z.object({
      query: z
        .string()
        .min(1)
        .max(400)
        .describe('The search query; it is sent to the search service'),
    }),
    risk: 'medium',
    idempotent: true,
    async run({ query }, { signal }) {
      const message = `the search did not answer within ${TIMEOUT_MS / 1000} s.`;
      const results = await withTimeoutSignal(
        clock,
        { ms: TIMEOUT_MS, signal, message },
        (either) => ask(search, query, either),
      );
      return describeResults(query, results);
    },
    preview: ({ query }) =>
      `Sends data out: the search service at ${new URL(search.baseUrl).host} receives this query and may store it.\n${query}`,
    summary: ({ query }) => `Search the web: ${query}`,
  });
}

type Results = z.output<typeof answerSchema>['results'];

async function ask(search: WebSearch, query: string, signal: AbortSignal): Promise<Results> {
  const { apiKey, baseUrl, maxResults } = search;
  const response = await send(`${baseUrl.replace(/\/+$/, '')}/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, max_results: maxResults }),
    // Never send the key to another address.
    redirect: 'error',
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(describeSearchStatus(response.status));
  }
  const read = answerSchema.safeParse(parseJson(await readText(response)));
  if (!read.success) throw new Error('the search answered in a form that can’t be read.');
  return read.data.results.slice(0, maxResults);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new Error('the search service can’t be reached.', { cause: error });
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the search answer is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const STATUS: Readonly<Record<number, string>> = {
  401: 'the search service does not accept TAVILY_API_KEY. Tell the person; trying again won’t help.',
  403: 'the search service does not accept TAVILY_API_KEY. Tell the person; trying again won’t help.',
  429: 'the search service received too many requests. Wait before you try again.',
  432: 'the plan at the search service is used up. Tell the person; trying again won’t help.',
  433: 'the spending limit at the search service is reached. Tell the person; trying again won’t help.',
};

function describeSearchStatus(status: number): string {
  const known = STATUS[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `the search service failed (${status}). Try again later.`
    : `the search service refused the request (${status}).`;
}

function describeResults(query: string, results: Results): string {
  if (results.length === 0) return `Nothing was found for “${query}”.`;
  const list = results.map(({ title, url, content }, index) => {
    const excerpt = content.length > MAX_EXCERPT ? `${content.slice(0, MAX_EXCERPT)}…` : content;
    return `${index + 1}. ${title.slice(0, 300)}\n${url.slice(0, 2_000)}\n${excerpt}`;
  });
  return markUntrusted('a search of the web', list.join('\n\n'));
}
