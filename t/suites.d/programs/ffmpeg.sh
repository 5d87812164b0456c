# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# ffmpeg: a picture in motion, coded twice
# needs ffmpeg
# derives small.mkv from first.mp4
ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=1:size=160x120:rate=10 -c:v mpeg4 -fflags +bitexact -flags +bitexact first.mp4
ffmpeg -nostdin -v error -i first.mp4 -threads 2 -c:v mpeg4 -vf scale=80:60 -fflags +bitexact -flags +bitexact small.mkv
