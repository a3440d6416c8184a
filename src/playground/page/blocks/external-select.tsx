import type { ExternalSelect, MultiExternalSelect } from '@slack/types';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import {
  type Choice,
  controlProps,
  type Place,
  useElementHost,
  usePress,
} from '../state/element-host.ts';
import { toChoice } from './choices.ts';

const TYPING_PAUSE_MS = 200;
const DEFAULT_MIN_LENGTH = 3;

/** Shows a select whose choices the app looks up while a person types. */
export function ExternalSelectView(props: {
  element: ExternalSelect | MultiExternalSelect;
  place: Place;
}) {
  const { element, place } = props;
  const host = useElementHost();
  const { press } = usePress(element, place);
  const isMultiple = element.type === 'multi_external_select';
  const [chosen, setChosen] = useState<readonly Choice[]>(initialChoices(element));
  const search = useSearch(element);
  const listId = useId();

  const choose = (choices: readonly Choice[], changed: string) => {
    setChosen(choices);
    search.clear();
    const values = choices.map((choice) => choice.value);
    const field = { blockId: place.blockId, actionId: element.action_id ?? '' };
    if (place.isField) host.change(field, isMultiple ? values : (values[0] ?? null));
    if (place.dispatches) void press({ option: changed });
  };
  const add = (choice: Choice) => {
    const others = isMultiple ? chosen.filter(({ value }) => value !== choice.value) : [];
    choose([...others, choice], choice.value);
  };
  const placeholder = element.placeholder?.text ?? 'Type to search';
  return (
    <div class="external">
      <ChosenChoices
        chosen={chosen}
        onRemove={(choice) =>
          choose(
            chosen.filter(({ value }) => value !== choice.value),
            choice.value,
          )
        }
      />
      <input
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded={search.found.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        placeholder={placeholder}
        value={search.typed}
        onInput={(event) => search.type(event.currentTarget.value)}
        onFocus={() => search.type(search.typed)}
        {...controlProps(element, place, placeholder)}
      />
      <FoundChoices id={listId} found={search.found} chosen={chosen} onChoose={add} />
      {search.isEmpty && <small>No matches</small>}
    </div>
  );
}

function ChosenChoices(props: { chosen: readonly Choice[]; onRemove(choice: Choice): void }) {
  return props.chosen.map((choice) => (
    <button
      key={choice.value}
      type="button"
      class="chip"
      aria-label={`Remove ${choice.text}`}
      onClick={() => props.onRemove(choice)}
    >
      {choice.text} <span aria-hidden="true">✕</span>
    </button>
  ));
}

function FoundChoices(props: {
  id: string;
  found: readonly Choice[];
  chosen: readonly Choice[];
  onChoose(choice: Choice): void;
}) {
  return (
    <div role="listbox" id={props.id} aria-label="Choices" class="listbox">
      {props.found.map((choice) => (
        <button
          key={choice.value}
          type="button"
          role="option"
          aria-selected={props.chosen.some(({ value }) => value === choice.value)}
          onClick={() => props.onChoose(choice)}
        >
          {choice.text}
        </button>
      ))}
    </div>
  );
}

function initialChoices(element: ExternalSelect | MultiExternalSelect): readonly Choice[] {
  const options =
    element.type === 'external_select' ? [element.initial_option] : (element.initial_options ?? []);
  return options.flatMap((option) => (option === undefined ? [] : [toChoice(option)]));
}

function useSearch(element: ExternalSelect | MultiExternalSelect) {
  const host = useElementHost();
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<readonly Choice[]>([]);
  const [isEmpty, setEmpty] = useState(false);
  const timer = useRef<number>(undefined);
  // Answers may arrive out of order; only the one to the latest query counts.
  const queryCount = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const show = (choices: readonly Choice[], hasAnswer: boolean) => {
    setFound(choices);
    setEmpty(hasAnswer && choices.length === 0);
  };
  const type = (text: string) => {
    setTyped(text);
    window.clearTimeout(timer.current);
    queryCount.current += 1;
    if (text.length < (element.min_query_length ?? DEFAULT_MIN_LENGTH)) return show([], false);
    const query = queryCount.current;
    timer.current = window.setTimeout(() => {
      void host.suggest(element.action_id ?? '', text).then((choices) => {
        if (query === queryCount.current) show(choices, true);
      });
    }, TYPING_PAUSE_MS);
  };
  const clear = () => {
    queryCount.current += 1;
    setTyped('');
    show([], false);
  };
  return { typed, found, isEmpty, type, clear };
}
