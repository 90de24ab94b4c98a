"""Audio: WAV files and devices as microphone and loudspeaker, resampling, and the playback gate."""
