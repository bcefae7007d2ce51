/** A recording, loaded on demand: a request needs the token or the gate, so a plain link cannot load it. */
import { useEffect, useRef, useState } from 'react';
import { BusyButton } from '../components/busy-button';
import { useLostFocus } from '../components/use-lost-focus';
import { playFrom } from './play-from';
import type { ApiResult } from './admin-api';
import type { ConsoleTexts } from './texts';

/** A new object each time that it is wanted. */
export interface WantedSound {
  readonly seconds: number;
}

interface RecordingProps {
  texts: ConsoleTexts;
  number: number;
  load: () => Promise<ApiResult<Blob>>;
  /** Plays from there when it changes; null: only when the button is pressed. */
  wanted?: WantedSound | null;
}

export function Recording({ texts, number, load, wanted = null }: RecordingProps) {
  const [address, setAddress] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const isBusy = useRef(false);
  // The button is replaced by the player.
  const player = useRef<HTMLAudioElement>(null);
  useLostFocus(address, player);
  useEffect(
    () => () => {
      if (address !== null) URL.revokeObjectURL(address);
    },
    [address],
  );
  const play = async (): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setLoading(true);
    setFailed(false);
    const response = await load();
    isBusy.current = false;
    setLoading(false);
    if (response.kind === 'ok') setAddress(URL.createObjectURL(response.value));
    else setFailed(true);
  };
  const begin = useRef(play);
  useEffect(() => {
    begin.current = play;
  });
  useEffect(() => {
    if (wanted === null) return;
    if (player.current === null) void begin.current();
    else playFrom(player.current, wanted.seconds);
  }, [wanted]);
  if (address !== null) {
    return (
      <audio
        ref={player}
        className="reading-audio"
        controls
        autoPlay
        src={address}
        aria-label={texts.player(number)}
        onLoadedMetadata={({ currentTarget }) => playFrom(currentTarget, wanted?.seconds ?? 0)}
      />
    );
  }
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
