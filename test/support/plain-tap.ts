import type { TestEvent } from 'node:test/reporters';

/**
 * Reports tests as TAP without their titles, some of which contain characters that TAP parsers read
 * as line breaks. For the mutation tests, which only need to know whether a file passes.
 */
// biome-ignore lint/style/noDefaultExport: the test runner wants a reporter as the default.
export default async function* plainTap(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests = 0;
  yield 'TAP version 13\n';
  for await (const { data, type } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.nesting > 0) continue;
    tests += 1;
    yield `${type === 'test:pass' ? 'ok' : 'not ok'} ${tests} - test ${tests}\n`;
  }
  yield `1..${tests}\n`;
}
