import {
  describeRoute,
  type Handles,
  type ShownRoute,
} from '../../domain/policy/describe-route.ts';
import { writeSentence } from '../text/write-sentence.ts';

/** Describes a route, without its tools, in one line of Slack markup. */
export function routeSummary({ tools: _tools, ...route }: ShownRoute, handles: Handles): string {
  return describeRoute(route, handles)
    .map(({ label, words }) => `${label}: ${writeSentence(words)}`)
    .join(' · ');
}
