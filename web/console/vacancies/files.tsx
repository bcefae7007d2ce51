/** What the file names: its documents and its logo. They are stored at once, so there must be no draft beside them. */
import { useId, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { asProblem } from '../api/problem';
import { BusyButton } from '../shell/busy-button';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { failed, told } from '../shell/notice';
import { useProblem } from '../shell/use-problem';
import { putDocument, putLogo, removeDocument, removeLogo } from './calls';
import type { StoredVacancy } from './calls';
import { useVacanciesTexts } from './texts';

interface FilesProps {
  vacancy: StoredVacancy;
  canWrite: boolean;
  isChanged: boolean;
  /** Reads the vacancy again, because its file is another one now. */
  onStored: () => Promise<unknown>;
}

export function Files({ vacancy, canWrite, isChanged, onStored }: FilesProps) {
  const { files } = useVacanciesTexts();
  const { slug, documents, logo, company } = vacancy;
  const [question, setQuestion] = useState<Question | null>(null);
  const title = useId();
  const mayChange = canWrite && !isChanged;
  const store = async (chosen: readonly File[], put: (file: File) => Promise<void>) => {
    for (const file of chosen) await put(file);
    await onStored();
  };
  const addDocuments = (chosen: readonly File[]) =>
    store(chosen, async (file) => {
      await putDocument(slug, file);
      told(files.added(file.name));
    });
  const addLogo = (chosen: readonly File[]) =>
    store(chosen.slice(0, 1), async (file) => {
      await putLogo(slug, file);
      told(files.logoPut);
    });
  const askDocument = (name: string): void =>
    setQuestion({
      ...{ title: files.remove.title(name), text: files.remove.text, isGrave: true },
      action: files.remove.action,
      run: async () => {
        await removeDocument(slug, name);
        told(files.remove.done);
        await onStored();
      },
    });
  const askLogo = (): void => {
    const { done, ...asked } = files.removeLogo;
    setQuestion({
      ...asked,
      isGrave: true,
      run: async () => {
        await removeLogo(slug);
        told(done);
        await onStored();
      },
    });
  };
  return (
    <section className="section" aria-labelledby={title}>
      <h2 id={title}>{files.title}</h2>
      <p className="page-lead">{files.lead}</p>
      {canWrite && isChanged && <p className="vacancy-note">{files.saveFirst}</p>}
      <div className="vacancy-files">
        <div>
          <h3>{files.documents}</h3>
          {documents.length === 0 && <p className="soft">{files.none}</p>}
          <ul>
            {documents.map(({ name, passages }) => (
              <li key={name}>
                <span>{name}</span>
                <span className="soft">{files.passages(passages)}</span>
                {mayChange && (
                  <Button
                    variant="subtle"
                    size="sm"
                    aria-label={files.remove.name(name)}
                    onClick={() => askDocument(name)}
                  >
                    {files.remove.action}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {mayChange && (
            <Upload label={files.add} accept=".md,.txt" isMultiple onChosen={addDocuments} />
          )}
        </div>
        <div>
          <h3>{files.logo}</h3>
          {logo === null ? (
            <p className="soft">{files.noLogo}</p>
          ) : (
            <img className="vacancy-logo" src={logo} alt={files.logoOf(company)} />
          )}
          {mayChange && (
            <div className="vacancy-file-actions">
              <Upload label={files.putLogo} accept=".svg,.png,.webp" onChosen={addLogo} />
              {logo !== null && (
                <Button variant="subtle" size="sm" onClick={askLogo}>
                  {files.removeLogo.action}
                </Button>
              )}
            </div>
          )}
        </div>
      </div>
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </section>
  );
}

interface UploadProps {
  label: string;
  accept: string;
  isMultiple?: boolean;
  onChosen: (files: readonly File[]) => Promise<unknown>;
}

/** A button in front of a field for files, which looks different in each browser. */
function Upload({ label, accept, isMultiple = false, onChosen }: UploadProps) {
  const problemWords = useProblem(useVacanciesTexts().problems);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const send = async (chosen: readonly File[]): Promise<void> => {
    if (chosen.length === 0) return;
    setBusy(true);
    try {
      await onChosen(chosen);
    } catch (error) {
      failed(problemWords(asProblem(error)));
    } finally {
      setBusy(false);
      // So that the same file can be chosen again.
      if (input.current !== null) input.current.value = '';
    }
  };
  return (
    <>
      <BusyButton
        variant="default"
        size="sm"
        isBusy={isBusy}
        onClick={() => input.current?.click()}
      >
        {label}
      </BusyButton>
      <input
        ref={input}
        hidden
        type="file"
        aria-label={label}
        accept={accept}
        multiple={isMultiple}
        onChange={(event) => void send([...(event.currentTarget.files ?? [])])}
      />
    </>
  );
}
