import type {
  ActionsBlockElement,
  ContextActionsBlockElement,
  InputBlockElement,
  SectionBlockAccessory,
} from '@slack/types';
import type { Place } from '../state/element-host.ts';
import {
  ButtonView,
  FeedbackView,
  IconButtonView,
  OverflowView,
  WorkflowButtonView,
} from './button-view.tsx';
import { BoxesView, SelectView } from './choice-view.tsx';
import { ExternalSelectView } from './external-select.tsx';
import { ImageView } from './image-view.tsx';
import { MomentView, TextInputView } from './input-view.tsx';

/** Every interactive Block Kit element. */
export type AnyElement =
  | ActionsBlockElement
  | ContextActionsBlockElement
  | InputBlockElement
  | SectionBlockAccessory;

/** Shows an element, or an error if the page does not support it. */
export function ElementView({ element, place }: { element: AnyElement; place: Place }) {
  switch (element.type) {
    case 'button':
      return <ButtonView element={element} place={place} />;
    case 'workflow_button':
      return <WorkflowButtonView element={element} />;
    case 'feedback_buttons':
      return <FeedbackView element={element} place={place} />;
    case 'icon_button':
      return <IconButtonView element={element} place={place} />;
    case 'overflow':
      return <OverflowView element={element} place={place} />;
    case 'image':
      return <ImageView alt={element.alt_text} />;
    default:
      return <FieldView element={element} place={place} />;
  }
}

type FieldElement = Exclude<
  AnyElement,
  {
    type: 'button' | 'workflow_button' | 'feedback_buttons' | 'icon_button' | 'overflow' | 'image';
  }
>;

function FieldView({ element, place }: { element: FieldElement; place: Place }) {
  switch (element.type) {
    case 'static_select':
    case 'users_select':
    case 'channels_select':
    case 'conversations_select':
      return <SelectView element={element} place={place} />;
    case 'checkboxes':
    case 'radio_buttons':
    case 'multi_static_select':
    case 'multi_users_select':
    case 'multi_channels_select':
    case 'multi_conversations_select':
      return <BoxesView element={element} place={place} />;
    case 'external_select':
    case 'multi_external_select':
      return <ExternalSelectView element={element} place={place} />;
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
    case 'url_text_input':
      return <TextInputView element={element} place={place} />;
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
      return <MomentView element={element} place={place} />;
    default:
      return <span class="unsupported">Unsupported element: {element.type}</span>;
  }
}
