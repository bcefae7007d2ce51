/** The recorder of voice messages, which replaces the field while the candidate speaks. */
import { useEffect, useRef } from 'react';
import type { RecorderState } from '../state/recorder';
import { Icon } from './icons';
import { useTexts } from './language';
import { hasNoFocus } from './use-lost-focus';

interface VoiceRecorderProps {
  state: RecorderState;
  onSend: () => void;
  onCancel: () => void;
}

/** The bar in place of the field. */
export function VoiceRecorder({ state, onSend, onCancel }: VoiceRecorderProps) {
  const { voice } = useTexts();
  const bar = useRef<HTMLDivElement>(null);
  const sendButton = useRef<HTMLButtonElement>(null);
  const canSend = state.kind === 'recording' || state.kind === 'unsent';
  // The record button has just been hidden.
  useEffect(() => bar.current?.focus(), []);
  useEffect(() => {
    const isHere = hasNoFocus() || bar.current?.contains(document.activeElement) === true;
    // A recording that could not be sent takes the focus from no other field.
    if (canSend && isHere) sendButton.current?.focus();
  }, [canSend]);
  return (
    <div
      ref={bar}
      tabIndex={-1}
      className="composer-card recorder"
      data-state={state.kind}
      role="group"
      aria-label={voice.group}
    >
      <button
        type="button"
        className="icon-button"
        aria-label={state.kind === 'unsent' ? voice.discard : voice.cancel}
        disabled={state.kind === 'sending'}
        onClick={onCancel}
      >
        <Icon name="cross" />
      </button>
      <p className="recorder-status">
        {state.kind === 'recording' && state.stopped === null && (
          <span className="recorder-dot" aria-hidden="true" />
        )}
        <span role="status">{statusOf(state, voice)}</span>
        {state.kind === 'recording' && (
          <time className="recorder-time">{clock(state.elapsedS)}</time>
        )}
      </p>
      <button
        ref={sendButton}
        type="button"
        className="send-button"
        aria-label={state.kind === 'unsent' ? voice.retry : voice.send}
        disabled={!canSend}
        onClick={onSend}
      >
        <Icon name="send" />
      </button>
    </div>
  );
}

/** Why nothing was recorded, and what to do. */
export function VoiceProblem({ state, onClose }: { state: RecorderState; onClose: () => void }) {
  const { voice, close } = useTexts();
  return (
    <div role="alert">
      {state.kind === 'problem' && (
        <p className="voice-problem">
          <span>{voice.problems[state.problem]}</span>
          <button type="button" className="icon-button" aria-label={close} onClick={onClose}>
            <Icon name="cross" />
          </button>
        </p>
      )}
    </div>
  );
}

function statusOf(state: RecorderState, voice: ReturnType<typeof useTexts>['voice']): string {
  switch (state.kind) {
    case 'asking':
      return voice.asking;
    case 'recording':
      return state.stopped === null ? voice.recording : voice.stopped[state.stopped];
    case 'sending':
      return voice.sending;
    case 'unsent':
      return voice.unsent;
    case 'idle':
    case 'problem':
      return '';
  }
}

function clock(seconds: number): string {
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}
