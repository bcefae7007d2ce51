/** A file, loaded on demand: a request needs the token, so a plain link cannot load it. */
import { useState } from 'react';
import { BusyButton } from '../components/busy-button';
import { saveFile } from '../platform';
import type { ApiResult } from './admin-api';
import type { ConsoleTexts } from './texts';

interface DownloadProps {
  texts: ConsoleTexts;
  name: string;
  load: () => Promise<ApiResult<Blob>>;
}

export function Download({ texts, name, load }: DownloadProps) {
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle');
  const download = async () => {
    setState('loading');
    const response = await load();
    if (response.kind === 'ok') saveFile(name, response.value);
    setState(response.kind === 'ok' ? 'idle' : 'failed');
  };
  return (
    <div className="reading-play">
      <BusyButton
        className="quiet-button"
        isBusy={state === 'loading'}
        onClick={() => void download()}
      >
        {texts.download}
        <span className="for-readers">: {name}</span>
      </BusyButton>
      <p role="alert" className="form-error">
        {state === 'failed' ? texts.downloadFailed : ''}
      </p>
    </div>
  );
}
