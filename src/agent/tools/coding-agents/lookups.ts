import { z } from 'zod';
import { parseAddress } from '../../../net/ssrf-guard.ts';
import { describeAddress } from '../command/describe-command.ts';
import { quotePath } from '../files/preview-change.ts';
import {
  type ArgumentReaders,
  createArgumentReader,
  flag,
  number,
  path,
  some,
  type ToolUseDescription,
  text,
  words,
} from './argument-reader.ts';

const describeLookup = (verb: string, what: string, where?: string): ToolUseDescription => ({
  summary: `${verb} ${quotePath(what)}${where === undefined ? '' : ` in ${quotePath(where)}`}`,
});

/** Skips addresses with a user name: they can be mistaken for another host. */
const fetched = (address: string): ToolUseDescription | undefined => {
  const url = parseAddress(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password !== '')
    return undefined;
  return { summary: `Fetch ${describeAddress(url)}`, preview: `GET ${url.href}` };
};

export const LOOKUP_READERS: ArgumentReaders = [
  [
    ['Read', 'read_file'],
    createArgumentReader(
      {
        file_path: path,
        offset: number,
        limit: number,
        start_line: number,
        end_line: number,
        pages: words,
      },
      ({ file_path: file }) => describeLookup('Read', file),
    ),
  ],
  [
    ['read'],
    createArgumentReader({ filePath: path, offset: number, limit: number }, ({ filePath }) =>
      describeLookup('Read', filePath),
    ),
  ],
  [
    ['Glob', 'glob'],
    createArgumentReader({ pattern: some, path: words }, ({ pattern, path: where }) =>
      describeLookup('Find files', pattern, where),
    ),
  ],
  [
    ['Grep', 'grep'],
    createArgumentReader(
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
      ({ pattern, path: where }) => describeLookup('Search files for', pattern, where),
    ),
  ],
  [
    ['LS', 'list'],
    createArgumentReader({ path, ignore: z.array(text).optional() }, ({ path: where }) =>
      describeLookup('List', where),
    ),
  ],
  [
    ['WebFetch', 'webfetch'],
    createArgumentReader({ url: some, prompt: words, format: words, timeout: number }, ({ url }) =>
      fetched(url),
    ),
  ],
  [
    ['WebSearch'],
    createArgumentReader(
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
    createArgumentReader({ query: some }, ({ query }) => ({ summary: `Search the web: ${query}` })),
  ],
];
