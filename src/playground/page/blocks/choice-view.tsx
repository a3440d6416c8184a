import { useId, useState } from 'preact/hooks';
import {
  type Choice,
  controlProps,
  type Place,
  useElementHost,
  usePress,
} from '../state/element-host.ts';
import { usePageContext } from '../state/names.ts';
import { TextView } from '../text/text-view.tsx';
import { type ChoiceElement, choiceGroups, initialValues } from './choices.ts';

/** Keeps the chosen values of an element and reports each change. */
function useChosen(element: ChoiceElement, place: Place, isMultiple: boolean) {
  const host = useElementHost();
  const { press } = usePress(element, place);
  const [chosen, setChosen] = useState(initialValues(element));
  const choose = (values: readonly string[]) => {
    setChosen(values);
    const field = { blockId: place.blockId, actionId: element.action_id ?? '' };
    if (place.isField) host.change(field, isMultiple ? values : (values[0] ?? null));
    if (place.dispatches) void press(toPress(values));
  };
  return { chosen, choose };
}

// An action carries one option; several can only be sent with a form.
function toPress(values: readonly string[]) {
  const last = values.at(-1);
  return last === undefined ? { value: '' } : { option: last };
}

/** Shows a single select as a native control. */
export function SelectView({ element, place }: { element: ChoiceElement; place: Place }) {
  const { chosen, choose } = useChosen(element, place, false);
  const placeholder = placeholderOf(element) ?? 'Choose an option';
  return (
    <select
      {...controlProps(element, place, placeholder)}
      value={chosen[0] ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        choose(value === '' ? [] : [value]);
      }}
    >
      <option value="">{placeholder}</option>
      {choiceGroups(element, usePageContext()).map((group) => {
        const options = group.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ));
        if (group.label === '') return options;
        return (
          <optgroup key={group.label} label={group.label}>
            {options}
          </optgroup>
        );
      })}
    </select>
  );
}

/** Shows checkboxes, radio buttons and multi-selects as native boxes. */
export function BoxesView({ element, place }: { element: ChoiceElement; place: Place }) {
  const isRadio = element.type === 'radio_buttons';
  const { chosen, choose } = useChosen(element, place, !isRadio);
  const name = useId();
  const onToggle = (value: string, isOn: boolean) => {
    const others = isRadio ? [] : chosen.filter((other) => other !== value);
    choose(isOn ? [...others, value] : others);
  };
  const choices = choiceGroups(element, usePageContext()).flatMap((group) => group.choices);
  const isLong = choices.length > 6;
  return (
    <div
      role={isRadio ? 'radiogroup' : 'group'}
      class={isLong ? 'boxes long' : 'boxes'}
      {...controlProps(element, place, placeholderOf(element) ?? 'Options')}
    >
      {choices.map((choice) => (
        <label key={choice.value} class="box">
          <input
            type={isRadio ? 'radio' : 'checkbox'}
            name={name}
            value={choice.value}
            checked={chosen.includes(choice.value)}
            onChange={(event) => onToggle(choice.value, event.currentTarget.checked)}
          />
          <ChoiceText choice={choice} />
        </label>
      ))}
    </div>
  );
}

function ChoiceText({ choice }: { choice: Choice }) {
  return (
    <span>
      <TextView text={{ type: choice.isMarkup ? 'mrkdwn' : 'plain_text', text: choice.text }} />
      {choice.description !== undefined && <small>{choice.description}</small>}
    </span>
  );
}

function placeholderOf(element: ChoiceElement): string | undefined {
  return 'placeholder' in element ? element.placeholder?.text : undefined;
}
