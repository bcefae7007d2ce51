/** The place of the editor on the page. It is loaded after the page, and holds the text while the server checks it. */
import { useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Ref } from 'react';
import type { FileProblem } from './calls';
import type { EditorWords, YamlEditor } from './yaml-editor';

export interface EditorHandle {
  goTo: (line: number) => void;
  focus: () => void;
}

interface EditorBoxProps {
  text: string;
  words: EditorWords;
  problems: readonly FileProblem[];
  isReadOnly: boolean;
  /** What is shown while the editor is loaded, and where it cannot be. */
  waiting: string;
  failed: string;
  handle: Ref<EditorHandle>;
  onChange: (text: string) => void;
  onSave: () => void;
}

export function EditorBox(props: EditorBoxProps) {
  const { text, words, problems, isReadOnly, waiting, failed, handle } = props;
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<YamlEditor | 'failed' | null>(null);
  const latest = useRef(props);
  /** What the person has typed and the page has not shown yet: the editor may be ahead of the page. */
  const typed = useRef<string[]>([]);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    let made: YamlEditor | null = null;
    let isGone = false;
    import('./yaml-editor').then(
      (part) => {
        if (isGone || place.current === null) return;
        made = new part.YamlEditor({
          parent: place.current,
          text: latest.current.text,
          words: latest.current.words,
          isReadOnly,
          onChange: (changed) => {
            typed.current.push(changed);
            latest.current.onChange(changed);
          },
          onSave: () => latest.current.onSave(),
        });
        setEditor(made);
      },
      () => setEditor('failed'),
    );
    return () => {
      isGone = true;
      made?.end();
    };
  }, [isReadOnly]);
  const shown = editor === 'failed' ? null : editor;
  useEffect(() => {
    const at = typed.current.lastIndexOf(text);
    typed.current.splice(0, at < 0 ? typed.current.length : at + 1);
    if (at < 0) shown?.show(text);
  }, [shown, text]);
  useEffect(() => shown?.speak(words), [shown, words]);
  useEffect(() => shown?.mark(problems), [shown, problems]);
  useImperativeHandle(
    handle,
    () => ({ goTo: (line) => shown?.goTo(line), focus: () => shown?.focus() }),
    [shown],
  );
  return (
    <div ref={place} className="yaml-editor">
      {shown === null && (
        <p className="yaml-waiting" role={editor === 'failed' ? 'alert' : 'status'}>
          {editor === 'failed' ? failed : waiting}
        </p>
      )}
    </div>
  );
}
