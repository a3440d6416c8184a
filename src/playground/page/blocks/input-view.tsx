import type {
  Datepicker,
  DateTimepicker,
  EmailInput,
  NumberInput,
  PlainTextInput,
  Timepicker,
  URLInput,
} from '@slack/types';
import { useState } from 'preact/hooks';
import { controlProps, type Place, useElementHost, usePress } from '../state/element-host.ts';

/** Text input elements. */
export type TypedElement = PlainTextInput | NumberInput | EmailInput | URLInput;
/** Date and time pickers. */
export type MomentElement = Datepicker | Timepicker | DateTimepicker;

// The app validates the input; the browser's own input types would interfere.
const INPUT_MODES = {
  plain_text_input: 'text',
  number_input: 'decimal',
  email_text_input: 'email',
  url_text_input: 'url',
} as const;

const MOMENT_TYPES = {
  datepicker: 'date',
  timepicker: 'time',
  datetimepicker: 'datetime-local',
} as const;

/** Keeps the text of an element and reports each change. */
function useText(element: TypedElement | MomentElement, place: Place, initial: string) {
  const host = useElementHost();
  const { press } = usePress(element, place);
  const [text, setText] = useState(initial);
  const write = (next: string) => {
    setText(next);
    const field = { blockId: place.blockId, actionId: element.action_id ?? '' };
    if (place.isField) host.change(field, next === '' ? null : next);
  };
  return { text, write, press };
}

/** Shows a text, number, e-mail or URL input. */
export function TextInputView({ element, place }: { element: TypedElement; place: Place }) {
  const { text, write, press } = useText(element, place, element.initial_value ?? '');
  const triggers = element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed'];
  const common = {
    ...controlProps(element, place, element.placeholder?.text ?? 'Text'),
    placeholder: element.placeholder?.text ?? '',
    autofocus: element.focus_on_load ?? false,
    value: text,
  };
  const onInput = (event: { currentTarget: { value: string } }) => {
    write(event.currentTarget.value);
    if (place.dispatches && triggers.includes('on_character_entered')) {
      void press({ value: event.currentTarget.value });
    }
  };
  if (element.type === 'plain_text_input' && element.multiline === true) {
    return <textarea {...common} rows={rowsFor(text)} onInput={onInput} />;
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing || !place.dispatches) return;
    event.preventDefault();
    if (triggers.includes('on_enter_pressed')) void press({ value: text });
  };
  return (
    <input
      {...common}
      type="text"
      inputMode={INPUT_MODES[element.type]}
      onInput={onInput}
      onKeyDown={onKeyDown}
    />
  );
}

function rowsFor(text: string): number {
  return Math.min(16, Math.max(4, text.split('\n').length + 1));
}

/** Shows a date, time or date-time picker as a native control. */
export function MomentView({ element, place }: { element: MomentElement; place: Place }) {
  const { text, write, press } = useText(element, place, initialMoment(element));
  const [shown, setShown] = useState(() =>
    element.type === 'datetimepicker' ? toLocal(text) : text,
  );
  return (
    <input
      type={MOMENT_TYPES[element.type]}
      {...controlProps(
        element,
        place,
        'placeholder' in element ? (element.placeholder?.text ?? 'Pick') : 'Pick',
      )}
      value={shown}
      onChange={(event) => {
        const { value } = event.currentTarget;
        setShown(value);
        const sent = element.type === 'datetimepicker' ? toEpoch(value) : value;
        write(sent);
        if (place.dispatches && sent !== '') void press({ value: sent });
      }}
    />
  );
}

function initialMoment(element: MomentElement): string {
  if (element.type === 'datepicker') return element.initial_date ?? '';
  if (element.type === 'timepicker') return element.initial_time ?? '';
  return element.initial_date_time === undefined ? '' : String(element.initial_date_time);
}

// A datetimepicker's value is in epoch seconds; the native control uses local time.
function toLocal(epochS: string): string {
  if (epochS === '') return '';
  const date = new Date(Number(epochS) * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toEpoch(local: string): string {
  return local === '' ? '' : String(Math.floor(new Date(local).getTime() / 1000));
}
