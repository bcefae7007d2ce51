/** A recording, loaded on demand: a request needs the token, so a plain link cannot load it. */
import { useEffect, useRef, useState } from 'react';
import { BusyButton } from '../components/busy-button';
import { useLostFocus } from '../components/use-lost-focus';
import { findLength } from './found-length';
import type { ApiResult } from './admin-api';
import type { ConsoleTexts } from './texts';

interface RecordingProps {
  texts: ConsoleTexts;
  number: number;
  load: () => Promise<ApiResult<Blob>>;
}

export function Recording({ texts, number, load }: RecordingProps) {
  const [address, setAddress] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  // The button is replaced by the player.
  const player = useRef<HTMLAudioElement>(null);
  useLostFocus(address, player);
  useEffect(
    () => () => {
      if (address !== null) URL.revokeObjectURL(address);
    },
    [address],
  );
  if (address !== null) {
    return (
      <audio
        ref={player}
        className="reading-audio"
        controls
        autoPlay
        src={address}
        aria-label={texts.player(number)}
        onLoadedMetadata={({ currentTarget }) => findLength(currentTarget)}
      />
    );
  }
  const play = async () => {
    setLoading(true);
    setFailed(false);
    const response = await load();
    setLoading(false);
    if (response.kind === 'ok') setAddress(URL.createObjectURL(response.value));
    else setFailed(true);
  };
  return (
    <div className="reading-play">
      <BusyButton className="quiet-button" isBusy={isLoading} onClick={() => void play()}>
        {texts.play}
        <span className="for-readers">: {texts.player(number)}</span>
      </BusyButton>
      <p role="alert" className="form-error">
        {hasFailed ? texts.playFailed : ''}
      </p>
    </div>
  );
}
