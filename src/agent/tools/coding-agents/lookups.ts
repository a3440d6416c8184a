import { z } from 'zod';
import { parseAddress } from '../../../net/ssrf-guard.ts';
import { sayAddress } from '../command/describe-command.ts';
import { pathInLine } from '../files/preview-change.ts';
import {
  flag,
  number,
  path,
  type Readers,
  reader,
  type Said,
  some,
  text,
  words,
} from './argument-reader.ts';

const look = (verb: string, what: string, where?: string): Said => ({
  summary: `${verb} ${pathInLine(what)}${where === undefined ? '' : ` in ${pathInLine(where)}`}`,
});

/** An address that names an account could be taken for another host's. */
const fetched = (address: string): Said | undefined => {
  const url = parseAddress(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password !== '')
    return undefined;
  return { summary: `Fetch ${sayAddress(url)}`, preview: `GET ${url.href}` };
};

/** The tools that read files and the web. */
export const LOOK_UPS: Readers = [
  [
    ['Read', 'read_file'],
    reader(
      {
        file_path: path,
        offset: number,
        limit: number,
        start_line: number,
        end_line: number,
        pages: words,
      },
      ({ file_path: file }) => look('Read', file),
    ),
  ],
  [
    ['read'],
    reader({ filePath: path, offset: number, limit: number }, ({ filePath }) =>
      look('Read', filePath),
    ),
  ],
  [
    ['Glob', 'glob'],
    reader({ pattern: some, path: words }, ({ pattern, path: where }) =>
      look('Find files', pattern, where),
    ),
  ],
  [
    ['Grep', 'grep'],
    reader(
      {
        pattern: some,
        path: words,
        glob: words,
        include: words,
        type: words,
        output_mode: words,
        head_limit: number,
        offset: number,
        multiline: flag,
        ...{ '-A': number, '-B': number, '-C': number, '-i': flag, '-n': flag, '-o': flag },
      },
      ({ pattern, path: where }) => look('Search files for', pattern, where),
    ),
  ],
  [
    ['LS', 'list'],
    reader({ path, ignore: z.array(text).optional() }, ({ path: where }) => look('List', where)),
  ],
  [
    ['WebFetch', 'webfetch'],
    reader({ url: some, prompt: words, format: words, timeout: number }, ({ url }) => fetched(url)),
  ],
  [
    ['WebSearch'],
    reader(
      {
        query: some,
        allowed_domains: z.array(text).optional(),
        blocked_domains: z.array(text).optional(),
      },
      ({ query }) => ({ summary: `Search the web: ${query}` }),
    ),
  ],
  [
    ['google_web_search'],
    reader({ query: some }, ({ query }) => ({ summary: `Search the web: ${query}` })),
  ],
];
