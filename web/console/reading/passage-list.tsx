/** Quoted words with the way to where they stand in the transcript. */
import { useId } from 'react';
import { goToPassage } from './reading-keys';
import { clockOf, secondOf } from './passages';
import type { NamedPassage } from './passages';
import { useReadingTexts } from './texts';

/** Of a line of the transcript, by its id, as far as it is loaded. The text is covered when one reads blind. */
type Words = ReadonlyMap<
  string,
  {
    readonly number: number;
    readonly text: string;
    readonly voice: { readonly durationS: number | null; readonly hasAudio: boolean } | null;
  }
>;

/** Where quoted words come from. */
export interface Source {
  readonly words: Words;
  /** Plays a recording from a passage on. */
  readonly play: (passage: string) => unknown;
}

interface PassageListProps {
  title?: string;
  passages: readonly NamedPassage[];
  source: Source;
  /** Null: the keys do not stop here. */
  stop: { questionId: string; passage: string | undefined } | null;
}

export function PassageList({ title, passages, source, stop }: PassageListProps) {
  const texts = useReadingTexts();
  const id = useId();
  return (
    <div
      className="passages"
      {...(title === undefined ? {} : { role: 'group', 'aria-labelledby': id })}
      {...(stop === null
        ? {}
        : {
            tabIndex: -1,
            'data-stop': true,
            'data-question': stop.questionId,
            'data-passage': stop.passage,
          })}
    >
      {title !== undefined && <h4 id={id}>{title}</h4>}
      {passages.map(({ name, messageId, start, end }) => {
        const line = source.words.get(messageId);
        if (line === undefined) return null;
        return (
          <figure key={name} className="passage">
            <blockquote>{line.text.slice(start, end)}</blockquote>
            <figcaption>
              <button type="button" className="quiet-button" onClick={() => goToPassage(name)}>
                {texts.toLine(line.number)}
              </button>
              {line.voice?.hasAudio === true && (
                <button type="button" className="quiet-button" onClick={() => source.play(name)}>
                  {texts.fromSecond(clockOf(secondOf({ start }, line.text, line.voice.durationS)))}
                </button>
              )}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}
