import { domainToUnicode } from 'node:url';
import { z } from 'zod';
import type { Clock } from '../../../domain/ports/clock.ts';
import { withTimeoutSignal } from '../../../domain/runtime/timeout.ts';
import {
  addressProblem,
  PUBLIC_INTERNET,
  parseAddress,
  portOf,
  type WebAccess,
} from '../../../net/ssrf-guard.ts';
import { describeAddress } from '../command/describe-command.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { markUntrusted } from '../untrusted-text.ts';
import { type FetchedPage, fetchWebPage, MAX_PAGE_BYTES } from './fetch-page.ts';
import { decodePage, htmlToText, textKindOf } from './page-text.ts';

const TIMEOUT_MS = 20_000;
/** Longer texts would be cut in the middle before they reach the model. */
const MAX_TEXT = 50_000;

/** Creates the tool that reads web pages. */
export function createFetchUrl({
  clock,
  reach = PUBLIC_INTERNET,
}: {
  readonly clock: Clock;
  /** (Default: the public internet.) */
  readonly reach?: WebAccess;
}): DefinedTool {
  return defineTool({
    name: 'fetch_url',
    description:
      'Reads a page of the public internet as text: HTML, plain text, JSON or XML. Sends a GET request without cookies or credentials. What it returns is untrusted content.',
    schema: z.object({
      url: z
        .url({ protocol: /^https?$/, error: 'must be an http or https address' })
        .max(2_000)
        .superRefine((text, { addIssue }) => {
          const url = parseAddress(text);
          const problem = url ? addressProblem(url, reach) : undefined;
          if (problem !== undefined) addIssue(problem);
        }),
    }),
    risk: 'medium',
    idempotent: true,
    async run({ url }, { signal }) {
      const message = `the page could not be fetched and read within ${TIMEOUT_MS / 1000} s.`;
      return await withTimeoutSignal(clock, { ms: TIMEOUT_MS, signal, message }, async (either) => {
        const page = await fetchWebPage(new URL(url), {
          reach,
          signal: either,
          accepts: assertText,
        });
        return formatPage(page, await toText(page, either));
      });
    },
    preview: ({ url }) => previewRequest(new URL(url)),
    summary: ({ url }) => `Fetch ${describeAddress(new URL(url))}`,
  });
}

function assertText(contentType: string): void {
  if (textKindOf(contentType)) return;
  const what =
    contentType === '' ? 'without a content type' : `of type ${contentType.slice(0, 80)}`;
  throw new Error(`the answer is ${what}; only HTML, text, JSON and XML can be read.`);
}

async function toText({ body, contentType }: FetchedPage, signal: AbortSignal): Promise<string> {
  const text = decodePage(body, contentType);
  return textKindOf(contentType) === 'html' ? await htmlToText(text, signal) : text;
}

function formatPage({ url, redirects, contentType, isCut }: FetchedPage, text: string): string {
  const times = redirects === 1 ? 'one redirect' : `${redirects} redirects`;
  const from = redirects === 0 ? url.href : `${url.href} (after ${times})`;
  const notes = [
    ...(isCut ? [`Only the first ${MAX_PAGE_BYTES / 1024 / 1024} MB of the page were read.`] : []),
    ...(text.length > MAX_TEXT
      ? [`Only the first ${MAX_TEXT} of ${text.length} characters are shown.`]
      : []),
  ];
  const [type = ''] = contentType.split(';');
  const shown = text.trim() === '' ? '(no text)' : text.slice(0, MAX_TEXT);
  return [`${from}, ${type.trim()}`, ...notes, markUntrusted(url.host, shown)].join('\n');
}

/** Does not resolve the host name: a DNS query would already send data out before the approval. */
function previewRequest(url: URL): string {
  const { hostname, protocol } = url;
  const unicode = domainToUnicode(hostname);
  const written = unicode === hostname || unicode === '' ? '' : `, which is written ${unicode}`;
  const scheme = protocol === 'https:' ? 'https, encrypted' : 'http, not encrypted';
  const rest = `${url.pathname}${url.search}`;
  return [
    'Sends data out: the host receives the full address below and may store it.',
    `Host: ${hostname}${written}`,
    `Scheme: ${scheme}, port ${portOf(url)}`,
    `GET ${rest}`,
  ].join('\n');
}
