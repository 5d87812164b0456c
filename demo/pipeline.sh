#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# Call the variants of one sample against a reference.
set -euo pipefail

mkdir -p results tmp logs

bwa index ref.fa 2> logs/index.log
samtools faidx ref.fa

bwa mem -R '@RG\tID:run1\tSM:sample1' ref.fa reads_1.fq reads_2.fq 2> logs/mem.log |
	samtools sort -T tmp/sort -o tmp/aligned.bam -
samtools index tmp/aligned.bam

bcftools mpileup -f ref.fa tmp/aligned.bam 2> logs/mpileup.log |
	bcftools call -mv -o tmp/calls.vcf 2> logs/call.log

bcftools filter -i 'QUAL >= 30' tmp/calls.vcf > results/variants.vcf.part
mv results/variants.vcf.part results/variants.vcf

rm -r tmp
