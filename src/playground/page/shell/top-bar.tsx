import { Avatar } from '../controls/avatar.tsx';
import type { PageStart, Persona } from '../state/page-start.ts';
import { useUi } from '../state/ui.ts';

/** Shows the title, the “Act as” buttons and the switch of the developer panel. */
export function TopBar(props: {
  start: PageStart;
  isDeveloperOpen: boolean;
  onToggleDeveloper(): void;
}) {
  const { route, go } = useUi();
  return (
    <header class="top-bar">
      <h1>
        {props.start.app.name} playground <span class="tag">simulated Slack</span>
      </h1>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a flex row in every browser. */}
      <div class="act-as" role="group" aria-label="Act as">
        <span class="act-as-label" aria-hidden="true">
          Act as
        </span>
        {props.start.people.map((persona) => (
          <PersonaButton
            key={persona.name}
            persona={persona}
            isCurrent={persona.name === route.as}
            onChoose={() => go({ as: persona.name, thread: route.thread })}
          />
        ))}
      </div>
      <button
        type="button"
        class="button plain desktop-only"
        aria-pressed={props.isDeveloperOpen}
        onClick={props.onToggleDeveloper}
      >
        Developer
      </button>
    </header>
  );
}

function PersonaButton(props: { persona: Persona; isCurrent: boolean; onChoose(): void }) {
  const { name, note } = props.persona;
  return (
    <button
      type="button"
      class="persona"
      aria-pressed={props.isCurrent}
      title={note}
      onClick={props.onChoose}
    >
      <Avatar name={name} size="small" />
      <span>{name}</span>
    </button>
  );
}

/** Says that the answers are scripted, and how to use a real model. */
export function ScriptedNote() {
  return (
    <details class="scripted">
      <summary>The model’s answers are scripted. Use a real one</summary>
      <p>
        Set <code>OPENAI_API_KEY</code>, or <code>OPENAI_BASE_URL</code> for Ollama, vLLM or any
        compatible server, and <code>MODEL</code>, then start again. Everything else on this page is
        already the real app: cards, policy, storage and tools.
      </p>
    </details>
  );
}
