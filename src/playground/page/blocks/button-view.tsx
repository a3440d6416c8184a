import type { Button, FeedbackButtons, IconButton, Overflow, WorkflowButton } from '@slack/types';
import { Menu } from '../controls/menu.tsx';
import { type Place, usePress } from '../state/element-host.ts';
import { followableUrl, Inlines } from '../text/inline-view.tsx';
import { parsePlainText } from '../text/mrkdwn.ts';

/** Shows a button. A link button opens its link and also notifies the app, as in Slack. */
export function ButtonView({ element, place }: { element: Button; place: Place }) {
  const { isBusy, press } = usePress(element, place);
  const url = element.url === undefined ? undefined : followableUrl(element.url);
  const onClick = () => {
    if (url !== undefined) window.open(url, '_blank', 'noopener,noreferrer');
    void press(element.value === undefined ? {} : { value: element.value });
  };
  return (
    <button
      type="button"
      class={`button ${element.style ?? 'plain'}`}
      aria-label={element.accessibility_label}
      aria-busy={isBusy}
      data-action-id={element.action_id}
      data-block-id={place.blockId}
      onClick={onClick}
    >
      <Inlines nodes={parsePlainText(element.text.text)} />
    </button>
  );
}

/** Shows a workflow button, which the simulation can't start. */
export function WorkflowButtonView({ element }: { element: WorkflowButton }) {
  return (
    <button type="button" class="button plain" disabled title="Workflows are not simulated">
      {element.text.text}
    </button>
  );
}

/** Shows the two buttons under an answer. */
export function FeedbackView({ element, place }: { element: FeedbackButtons; place: Place }) {
  const { press } = usePress(element, place);
  const one = (button: FeedbackButtons['positive_button'], sign: string) => (
    <button
      type="button"
      class="button quiet"
      aria-label={button.accessibility_label ?? button.text.text}
      title={button.text.text}
      data-action-id={element.action_id}
      data-block-id={place.blockId}
      onClick={() => void press({ value: button.value })}
    >
      {sign}
    </button>
  );
  return (
    <>
      {one(element.positive_button, '👍')}
      {one(element.negative_button, '👎')}
    </>
  );
}

/** Shows an icon button with its text as the name. */
export function IconButtonView({ element, place }: { element: IconButton; place: Place }) {
  const { isBusy, press } = usePress(element, place);
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={element.accessibility_label ?? element.text.text}
      aria-busy={isBusy}
      data-action-id={element.action_id}
      data-block-id={place.blockId}
      onClick={() => void press(element.value === undefined ? {} : { value: element.value })}
    >
      {element.icon === 'trash' ? '🗑️' : element.text.text}
    </button>
  );
}

/** Shows an overflow menu. */
export function OverflowView({ element, place }: { element: Overflow; place: Place }) {
  const { press } = usePress(element, place);
  const items = element.options.map((option) => ({
    text: option.text.text,
    onChoose: () => {
      const url = option.url === undefined ? undefined : followableUrl(option.url);
      if (url !== undefined) window.open(url, '_blank', 'noopener,noreferrer');
      void press({ option: option.value ?? '' });
    },
  }));
  return (
    <Menu
      label="More options"
      items={items}
      buttonClass="button plain overflow"
      actionId={element.action_id}
      blockId={place.blockId}
    />
  );
}
