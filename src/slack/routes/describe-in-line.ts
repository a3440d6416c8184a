import { describeRoute, type ShownRoute } from '../../domain/route-words.ts';
import { writeSentence } from '../write-sentence.ts';

/** Says what a route says, but for its tools, in one line of Slack's markup. */
export function describeInLine({ tools: _tools, ...route }: ShownRoute): string {
  return describeRoute(route)
    .map(({ label, words }) => `${label}: ${writeSentence(words)}`)
    .join(' · ');
}
