/** The outcome of a call, for the full view. Cards never show what the model is told. */
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { endsWhenTaken } from '../../text/status-labels.ts';
import { renderText, type ShownArgument } from './render-arguments.ts';

/** Renders the outcome; empty if the status already says it. */
export function outcomeValues(call: Call, masking: Masking): readonly ShownArgument[] {
  if (
    behaviourOf(call).asksFor === 'form' ||
    (endsWhenTaken(call) && behaviourOf(call).runBy !== 'graph')
  )
    return [];
  const { label, text } = describeOutcome(call) ?? { label: '', text: '' };
  return text === '' ? [] : [renderText(label, text, masking)];
}

interface LabeledText {
  readonly label: string;
  readonly text: string;
}

function describeOutcome({ outcome, outside }: Call): LabeledText | undefined {
  switch (outcome?.kind) {
    case 'result':
      return { label: outside?.isSilent ? 'What is known' : 'Result', text: outcome.text };
    case 'error':
      return { label: 'Error', text: outcome.text };
    case 'reply':
      return { label: outside ? 'Reply' : 'Reply to the agent', text: outcome.text };
    case 'refused':
      return { label: 'Reason', text: outcome.reason };
    case 'unknown':
      return { label: 'What is known', text: outcome.reason };
    default:
      return undefined;
  }
}
