/** The notice on a call whose outcome is unknown. */
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { BUDGET } from '../../text/limits.ts';
import { describeStatus } from '../../text/status-labels.ts';
import { describeVerdict, statusIconOf } from '../settled-card.ts';
import { truncateValue } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';
import { buildValueBlock } from '../values/rich-text-blocks.ts';

/** Builds the blocks that say what is known; empty for calls that are not unknown. */
export function buildUnknownNotice(call: Call, masking: Masking): KnownBlock[] {
  if (call.status !== 'unknown') return [];
  const verdict = describeVerdict(call);
  const by = verdict === undefined ? '' : ` · ${verdict}`;
  const text = `${statusIconOf(call)} *${describeStatus(call)}*${by}\nPlease check whether it ran, then choose below.`;
  const { outcome } = call;
  const reason = outcome?.kind === 'unknown' ? outcome.reason : '';
  return [
    { type: 'section', text: { type: 'mrkdwn', text }, expand: true },
    ...(reason === ''
      ? []
      : buildValueBlock([
          truncateValue(renderText('What is known', reason, masking), BUDGET.outcome),
        ])),
  ];
}
